// `lathe --help`: short, grouped, with examples; generated from the option table.

import type { ExtensionFlag } from "../platform/extension-api/api.ts";
import { OPTIONS, type OptionSpec, SUBCOMMANDS } from "../platform/options/option-table.ts";
import { listing, type Named, nameRoom } from "../sessions/tables/listing.ts";

const EXAMPLES: readonly Named[] = [
  ['lathe "fix the failing test"', "work on it; at a terminal you can steer"],
  ['lathe -p "explain" @a.ts', "a question about a file"],
  ['git diff | lathe -p "review"', "piped text is context"],
  ["lathe -c", "continue where this terminal left off"],
];

const EXIT_CODES =
  "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 provider or credential, 4 denied, 5 limit reached, 6 question, 70 internal error, 130 interrupted.";

/** Used if the width of the output is unknown. */
const USUAL_COLUMNS = 100;

/** @param added options of the extensions found here */
export function helpText(added: Readonly<Record<string, ExtensionFlag>> = {}, columns = USUAL_COLUMNS): string {
  const groups = new Map<string, Named[]>();
  for (const [name, spec] of Object.entries(OPTIONS) as [string, OptionSpec][])
    groups.set(spec.group, [...(groups.get(spec.group) ?? []), [optionLabel(name, spec), describe(spec)]]);
  const own = Object.entries(added).map(
    ([name, { type, description }]): Named => [`    --${name}${type === "string" ? " <value>" : ""}`, description],
  );
  if (own.length > 0) groups.set("Extensions", own);
  groups.set("Commands", Object.entries(SUBCOMMANDS));
  groups.set("Examples", [...EXAMPLES]);
  const width = columns - INDENT.length;
  const names = [...groups.values()].flat().map(([name]) => name);
  const room = nameRoom(names, width);
  const blocks = [...groups].map(([group, entries]) => {
    // All groups share the width of the first column, even a group whose names are all too long for it: the empty row
    // at the end has that width.
    const rows = entries.map(([name, meaning]): Named => [name.padEnd(room), meaning]);
    const text = listing([...rows, [" ".repeat(room), ""]], width).trimEnd();
    return `${group}:\n${text.replace(/^/gm, INDENT)}`;
  });
  const usage = "Usage: lathe [options] [prompt…]\n       lathe <command> [arguments]";
  return `${[usage, ...blocks, listing([["", EXIT_CODES]], columns).trim()].join("\n\n")}\n`;
}

const INDENT = "  ";

function optionLabel(name: string, spec: OptionSpec): string {
  const short = spec.short ? `-${spec.short}, ` : "    ";
  const value = spec.kind === "flag" ? "" : spec.kind === "optional" ? ` [${spec.value}]` : ` <${spec.value}>`;
  return `${short}--${name}${value}`;
}

function describe(spec: OptionSpec): string {
  return spec.choices ? `${spec.help}: ${spec.choices.join("|")}` : spec.help;
}
