// `lathe --help`: short, grouped, with examples; made from the option table.

import type { ExtensionFlag } from "../platform/extension-api/api.ts";
import { OPTIONS, type OptionSpec, SUBCOMMANDS } from "../platform/options/option-table.ts";

const EXAMPLES = [
  ['lathe "fix the failing test"', "work on it; at a terminal you can steer"],
  ['lathe -p "what does this do?" @src/server.ts', "a question about a file"],
  ['git diff | lathe -p "review this"', "piped text is context"],
  ['lathe --mode json --max-cost 0.50 "add a test"', "events as JSON lines, with a budget"],
  ["lathe -c", "continue where this terminal left off"],
] as const;

/** @param added options that the extensions here bring */
export function helpText(added: Readonly<Record<string, ExtensionFlag>> = {}): string {
  const lines = ["Usage: lathe [options] [prompt…]", "       lathe <command> [arguments]", ""];
  const groups = new Map<string, [string, OptionSpec][]>();
  for (const [name, spec] of Object.entries(OPTIONS) as [string, OptionSpec][]) {
    groups.set(spec.group, [...(groups.get(spec.group) ?? []), [name, spec]]);
  }
  for (const [group, entries] of groups) {
    lines.push(`${group}:`);
    for (const [name, spec] of entries) lines.push(row(optionLabel(name, spec), describe(spec)));
    lines.push("");
  }
  const own = Object.entries(added);
  if (own.length > 0) lines.push("Of extensions:");
  for (const [name, { type, description }] of own)
    lines.push(row(`    --${name}${type === "string" ? " <value>" : ""}`, description));
  if (own.length > 0) lines.push("");
  lines.push("Commands:");
  for (const [name, help] of Object.entries(SUBCOMMANDS)) lines.push(row(name, help));
  lines.push("", "Examples:");
  for (const [command, meaning] of EXAMPLES) lines.push(`  ${command}\n      ${meaning}`);
  lines.push(
    "",
    "Exit codes: 0 done, 1 could not do it, 2 usage, 3 provider or credential, 4 denied, 5 budget, 6 question, 130 interrupted.",
  );
  return `${lines.join("\n")}\n`;
}

function optionLabel(name: string, spec: OptionSpec): string {
  const short = spec.short ? `-${spec.short}, ` : "    ";
  const value = spec.kind === "flag" ? "" : spec.kind === "optional" ? ` [${spec.value}]` : ` <${spec.value}>`;
  return `${short}--${name}${value}`;
}

function describe(spec: OptionSpec): string {
  return spec.choices ? `${spec.help}: ${spec.choices.join("|")}` : spec.help;
}

function row(label: string, text: string): string {
  return label.length > 36 ? `  ${label}\n${" ".repeat(40)}${text}` : `  ${label.padEnd(38)}${text}`;
}
