// The list that /model opens: the model in use, then presets by provider, with all models one step away. Typing
// searches the models as well.

import { signInCommand } from "../../config/credentials/source.ts";
import { type ListedPreset, listPresets, rolesText } from "../../models/list-presets.ts";
import { type OfferedModel, offeredModels } from "../../models/offered-models.ts";
import { PRESET } from "../../models/presets.ts";
import { keepPreset } from "../../models/use-preset.ts";
import type { SessionWorkspace } from "../session-workspace.ts";
import { chooseFrom } from "./choice.ts";
import type { ChoiceItem, CommandView } from "./command-view.ts";

const ALL = "all";

/** Returns a selector or `preset/name`. `current` has the form `provider/id`. */
export async function chooseModelOrPreset(
  workspace: SessionWorkspace,
  current: string,
  view: CommandView,
): Promise<string | undefined> {
  const login = signInCommand(workspace.accounts().place);
  const presets = listPresets(await workspace.models());
  const models = itemsOf(await offeredModels(workspace, current));
  const inUse = models.filter(({ value }) => value === current);
  const [usable, others] = [true, false].map((isUsable) =>
    presets.filter(({ missing }) => (missing.length === 0) === isUsable).map((preset) => presetItem(preset, login)),
  ) as [ChoiceItem<string>[], ChoiceItem<string>[]];
  const browse = { value: ALL, label: "Browse all models", detail: `${models.length}` };
  const chosen = await chooseFrom(view, {
    title: "Model",
    items: [...inUse, ...usable, browse, ...others],
    search: async (words) => models.filter(({ label, detail }) => hasWords(`${label} ${detail}`, words)),
  });
  if (chosen === ALL) return chooseFrom(view, { title: "Model", items: models, current: 0 });
  if (chosen?.startsWith(PRESET)) await askToKeep(workspace, chosen.slice(PRESET.length), view);
  return chosen;
}

const hasWords = (text: string, words: string): boolean =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word));

function presetItem(
  { name, group, requires, missing, mapping, isActive }: ListedPreset,
  login: string,
): ChoiceItem<string> {
  const sign = missing.length === 0 ? "✓" : "✗";
  const [first] = missing;
  return {
    value: PRESET + name,
    label: PRESET + name,
    detail: [requires.length === 0 ? "" : `${sign} ${group}`, isActive ? "in use" : ""]
      .filter((part) => part !== "")
      .join("  "),
    description: rolesText(mapping),
    ...(first === undefined ? {} : { disabled: `no credential: ${login} ${first}` }),
  };
}

async function askToKeep(workspace: SessionWorkspace, name: string, view: CommandView): Promise<void> {
  const items = [
    { value: false, label: "for this session" },
    { value: true, label: "from now on", detail: "written to your settings" },
  ];
  if (await chooseFrom(view, { title: `Preset ${name}`, items })) await keepPreset(workspace, name);
}

function itemsOf(offered: readonly OfferedModel[]): ChoiceItem<string>[] {
  const details = alignRows(
    offered.map(({ facts, name, selector }) => [...facts, selector.endsWith(name) ? "" : name]),
  );
  return offered.map(({ selector, problem }, i) => ({
    value: selector,
    label: selector,
    detail: details[i] ?? "",
    ...(problem === undefined ? {} : { disabled: problem }),
  }));
}

/** Joins cells into lines with aligned columns. */
function alignRows(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
