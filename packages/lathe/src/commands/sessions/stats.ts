// `lathe sessions stats`.

import { childFiles, type SessionFile, sessionFiles } from "../../sessions/files.ts";
import { oneLine } from "../../sessions/list.ts";
import { dollars, tokens } from "../../sessions/numbers.ts";
import { collectStats, type Spending } from "../../sessions/stats.ts";
import { EXIT } from "../../usage/exit.ts";
import { table } from "../table.ts";
import { verbArgs } from "../verb-args.ts";
import { type Verb, wordless } from "./verb.ts";

const DAYS = 14;

export const statsVerb: Verb = async (argv, { machine, paths }) => {
  const { values, positionals } = verbArgs(argv, { json: { type: "boolean" } });
  wordless(positionals, "stats");
  const pathOf = ({ path }: SessionFile): string => path;
  const stats = collectStats(sessionFiles(paths.sessions).map(pathOf), childFiles(paths.sessions).map(pathOf));
  if (values.json) {
    machine.stdout.write(`${JSON.stringify(stats, null, 2)}\n`);
    return EXIT.done;
  }
  const { messages, total } = stats;
  const head = `${stats.sessions} ${stats.sessions === 1 ? "session" : "sessions"}, ${messages.user} prompts, ${messages.assistant} answers, ${messages.tool} tool results, ${dollars(total.cost)}\n`;
  const models = Object.entries(stats.byModel).sort(([, a], [, b]) => b.cost - a.cost || b.answers - a.answers);
  const days = Object.entries(stats.byDay).sort(([a], [b]) => b.localeCompare(a));
  const section = (title: string, rows: readonly (readonly [string, Spending])[]): string =>
    rows.length === 0 ? "" : `\n${table([[title, "answers", "in", "cached", "out", "cost"], ...rows.map(row)])}`;
  machine.stdout.write(head + section("model", models) + section("day", days.slice(0, DAYS)));
  return EXIT.done;
};

const row = ([name, used]: readonly [string, Spending]): string[] => [
  oneLine(name),
  String(used.answers),
  tokens(used.input),
  tokens(used.cached),
  tokens(used.output),
  dollars(used.cost),
];
