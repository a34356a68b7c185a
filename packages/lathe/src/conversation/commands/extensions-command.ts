// /extensions (EX-11): everything that was found, by kind, with its source and what overrides it; choosing an item
// turns it on or off.

import { writeSetting } from "../../config/settings/write.ts";
import type { Discovery } from "../../found/discovery/discovery.ts";
import { type Found, ITEM_KINDS, type ItemKind } from "../../found/discovery/types.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { SessionWorkspace } from "../session-workspace.ts";
import { chooseFrom } from "./choice.ts";
import type { SlashCommand } from "./command.ts";
import type { ChoiceItem, CommandView } from "./command-view.ts";

/** One item, or everything from one provider of files. */
type Switch =
  | { readonly key: "discovery.disabledItems"; readonly id: string; readonly found: Found }
  | { readonly key: "discovery.disabledProviders"; readonly id: string; readonly name: string };

const SHOWN = ITEM_KINDS.filter((kind) => kind !== "settings" && kind !== "unsupported");
const PROVIDERS = "providers";

export const extensions: SlashCommand = {
  name: "extensions",
  arguments: "[kind|providers]",
  description: "show the skills, commands, servers and hooks that were found; turn them on or off",
  whileWorking: true,
  complete: (_conversation, typed) => [...SHOWN, PROVIDERS].filter((kind) => kind.startsWith(typed)),
  run: async ({ workspace }, argument, view) => {
    const discovery = await workspace.discovery();
    const kinds = kindsOf(argument);
    let changed = false;
    for (let current = 0; ; ) {
      const items = await itemsOf(discovery, kinds, argument === "" || argument === PROVIDERS);
      if (items.length === 0) return view.line("Nothing was found. See: lathe discover --help", "dim");
      const chosen = await choose(discovery, items, current, view);
      if (!chosen) break;
      await toggle(workspace, discovery, chosen, view);
      changed = true;
      current = Math.max(
        0,
        items.findIndex(({ value }) => value.key === chosen.key && value.id === chosen.id),
      );
    }
    if (changed) view.line("Takes effect in the next session; instructions and rules also after /reload.", "dim");
  },
};

function kindsOf(argument: string): readonly ItemKind[] {
  if (argument === "") return SHOWN;
  if (argument === PROVIDERS) return [];
  const kind = ITEM_KINDS.find((one) => one === argument || `${one}s` === argument);
  if (kind === undefined)
    throw usageError(`There is no kind "${argument}". Choose one of: ${[...SHOWN, PROVIDERS].join(", ")}.`);
  return [kind];
}

async function itemsOf(
  discovery: Discovery,
  kinds: readonly ItemKind[],
  withProviders: boolean,
): Promise<readonly ChoiceItem<Switch>[]> {
  const { listingOf, nameText, remarkOn, sourceText } = await import("../../found/discovery/listing.ts");
  const { items } = await listingOf(discovery, kinds);
  const { place } = discovery;
  const found = items.map((item): ChoiceItem<Switch> => {
    // The state first: a narrow list cuts the end, and the path is in the preview.
    const state = remarkOn(item, place) || item.source.level;
    return {
      value: { key: "discovery.disabledItems", id: `${item.kind}:${item.name}`, found: item },
      label: `${item.kind}: ${nameText(item, place)}`,
      detail: `${item.source.providerName}, ${state}: ${sourceText(item.source, place)}`,
    };
  });
  if (!withProviders) return found;
  const agents = discovery.providers.map(
    ({ id, name, isEnabled }): ChoiceItem<Switch> => ({
      value: { key: "discovery.disabledProviders", id, name },
      label: `provider: ${id}`,
      detail: `${name}${isEnabled ? "" : "  disabled in the settings"}`,
    }),
  );
  return [...found, ...agents];
}

function choose(
  { place }: Discovery,
  items: readonly ChoiceItem<Switch>[],
  current: number,
  view: CommandView,
): Promise<Switch | undefined> {
  const preview = async (value: Switch): Promise<string> => {
    if (value.key === "discovery.disabledProviders")
      return `All files of ${value.name}.\nPress Enter to turn it on or off.`;
    const { remarkOn, sourceText } = await import("../../found/discovery/listing.ts");
    const { source, kind } = value.found;
    const description = descriptionOf(value.found);
    const state = remarkOn(value.found, place) || "takes effect";
    return [
      ...(description === "" ? [] : [description]),
      `${kind} of ${source.providerName}, ${source.level}: ${sourceText(source, place)}`,
      `${state}. Press Enter to turn it on or off.`,
    ].join("\n");
  };
  return chooseFrom(view, { title: "Extensions", items, current, preview });
}

/** The description in the item's file. A server's own text is left out: it may contain keys. */
function descriptionOf({ value }: Found): string {
  const { frontmatter } = (value ?? {}) as { readonly frontmatter?: { readonly description?: unknown } };
  return typeof frontmatter?.description === "string" ? frontmatter.description : "";
}

async function toggle(
  workspace: SessionWorkspace,
  discovery: Discovery,
  { key, id }: Switch,
  view: CommandView,
): Promise<void> {
  const { settings, paths, settingsOrigin } = workspace;
  const before = settings[key];
  const isOn = !before.includes(id);
  const after = isOn ? [...before, id] : before.filter((one) => one !== id);
  await writeSetting(paths.config, key, after);
  Object.assign(settings, { [key]: after });
  discovery.setDisabled(key === "discovery.disabledItems" ? { items: after } : { providers: after });
  const origin = settingsOrigin.get(key) ?? paths.config;
  const elsewhere =
    origin === paths.config ? "" : ` ${key} is also set in ${origin}, which overrides it at the next start.`;
  view.line(`${id} is ${isOn ? "off" : "on"}.${elsewhere}`, "dim");
}
