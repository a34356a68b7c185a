// `lathe models [pattern] [--usable] [--json]`, `lathe models presets` and `--list-models [pattern]`.

import { signInCommand } from "../../config/credentials/source.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { Run } from "../../hosts/run.ts";
import { type ListedModel, listModels as list } from "../../models/list.ts";
import { type ListedPreset, listPresets, rolesText } from "../../models/list-presets.ts";
import { short } from "../../models/offered-models.ts";
import { CliError, EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { table } from "../../sessions/tables/table.ts";
import type { Command } from "./command.ts";

const FLAGS: readonly string[] = ["--json", "--usable"];

export const modelsCommand: Command = async (argv, machine) => {
  const unknown = argv.find((word) => word.startsWith("-") && !FLAGS.includes(word));
  if (unknown !== undefined) throw usageError(`lathe models takes a pattern, --usable and --json, not ${unknown}.`);
  const words = argv.filter((word) => !FLAGS.includes(word));
  const workspace = await new Run(machine).open({});
  for (const warning of workspace.warnings) machine.stderr.write(`lathe: ${warning}\n`);
  const form = { asJson: argv.includes("--json"), onlyUsable: argv.includes("--usable") };
  if (words[0] === "presets") return showPresets(workspace, words.slice(1), form);
  return listModels(workspace, words.length === 0 ? true : words.join(" "), form);
};

interface Form {
  readonly asJson?: boolean;
  readonly onlyUsable?: boolean;
}

async function showPresets(
  workspace: SessionWorkspace,
  more: readonly string[],
  { asJson, onlyUsable }: Form,
): Promise<ExitCode> {
  if (more.length > 0) throw usageError(`lathe models presets takes --usable and --json, not ${more[0]}.`);
  const all = listPresets(await workspace.models());
  const presets = onlyUsable ? all.filter(({ missing }) => missing.length === 0) : all;
  const row = ({ name, requires, missing, mapping }: ListedPreset): string[] => [
    name,
    requires.map((provider) => `${provider} ${missing.includes(provider) ? "✗" : "✓"}`).join(", "),
    rolesText(mapping),
  ];
  workspace.machine.stdout.write(asJson ? `${JSON.stringify(presets, null, 2)}\n` : table(presets.map(row)));
  return EXIT.done;
}

/** `pattern` is true for all models. */
export async function listModels(
  workspace: SessionWorkspace,
  pattern: string | true,
  { asJson = false, onlyUsable = false }: Form = {},
): Promise<ExitCode> {
  const { stdout } = workspace.machine;
  const models = await workspace.models();
  await models.discover({ fresh: true });
  const all = await list(workspace, models, pattern === true ? undefined : pattern);
  const rows = onlyUsable ? all.filter(({ available }) => available) : all;
  if (asJson) stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  const login = signInCommand(workspace.accounts().place);
  if (rows.length === 0) throw new CliError(EXIT.failed, nothingFound(pattern, all.length > 0, login));
  if (!asJson) stdout.write(formatModels(rows));
  return EXIT.done;
}

function nothingFound(pattern: string | true, isThere: boolean, login: string): string {
  if (isThere) return `No model that matches "${pattern}" has a credential. See: lathe models --usable, ${login}`;
  return pattern === true
    ? "No models are enabled. See: lathe config get enabledModels"
    : `No model matches "${pattern}". See: lathe models`;
}

function formatModels(rows: readonly ListedModel[]): string {
  const head = ["model", "window", "output", "$ in", "$ out", "thinking", "vision", "credential"];
  const lines = table([
    head,
    ...rows.map((row) => [
      `${row.provider}/${row.id}`,
      row.contextWindow === 0 ? "–" : short(row.contextWindow),
      row.maxOutput === undefined ? "–" : short(row.maxOutput),
      price(row.cost?.input),
      price(row.cost?.output),
      row.thinking.length === 0 ? "–" : row.thinking.join(" "),
      row.vision ? "yes" : "–",
      row.available ? (row.credential ?? "yes") : "–",
    ]),
  ]);
  const groups = canonicalGroups(rows);
  if (groups.length === 0) return lines;
  return `${lines}\nModels offered by several providers; the first usable one is chosen:\n${table(groups)}`;
}

/** Canonical ids that several usable providers offer. */
function canonicalGroups(rows: readonly ListedModel[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const { available, canonical, provider, id } of rows) {
    if (available && canonical !== undefined)
      groups.set(canonical, [...(groups.get(canonical) ?? []), `${provider}/${id}`]);
  }
  return [...groups].filter(([, members]) => members.length > 1).map(([id, members]) => [id, members.join(", ")]);
}

const price = (dollars: number | undefined): string => (dollars === undefined ? "–" : String(dollars));
