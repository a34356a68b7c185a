// `lathe stats`: the usage of all sessions, by day, model, project and agent.

import { join } from "node:path";
import { Run } from "../../hosts/run.ts";
import { readEditCounts } from "../../models/edit-record.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import type { Spending } from "../../sessions/file-stats.ts";
import { printableLine } from "../../sessions/list.ts";
import { costText, countOf, tokens } from "../../sessions/numbers.ts";
import { collectStats } from "../../sessions/stats.ts";
import { table } from "../../sessions/tables/table.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

/** Rows shown per list; --json has all of them. */
const MOST_DAYS = 14;
const MOST_ROWS = 20;
const DAY_MS = 86_400_000;

export const statsCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(
    argv,
    { json: { type: "boolean" }, days: { type: "string", short: "d" }, by: { type: "string" } },
    "stats",
  );
  const [what, ...more] = positionals;
  if (what !== undefined && (what !== "edits" || more.length > 0))
    throw usageError(`lathe stats takes no word but "edits", not "${positionals.join(" ")}". See: lathe stats --help`);
  const since = values.days === undefined ? undefined : firstDay(values.days, machine.deps.now());
  if (values.by !== undefined) {
    if (values.by !== "key" || what !== undefined)
      throw usageError(
        `lathe stats --by takes "key", not "${values.by}". Days, models and projects are in: lathe stats`,
      );
    const { statsByKey } = await import("./auth-gateway/stats.ts");
    return statsByKey(machine, { since, isJson: values.json ?? false });
  }
  const { paths } = await new Run(machine).open({});
  if (what === "edits") {
    const counts = readEditCounts(paths.cache);
    machine.stdout.write(values.json ? `${JSON.stringify(counts, null, 2)}\n` : editsTable(counts));
    return EXIT.done;
  }
  const stats = collectStats({
    sessionsRoot: paths.sessions,
    cacheFile: join(paths.cache, "session-stats.json"),
    ...(since === undefined ? {} : { since }),
  });
  if (values.json) {
    machine.stdout.write(`${JSON.stringify(stats, null, 2)}\n`);
    return EXIT.done;
  }
  const { messages, total, unread } = stats;
  const counts = [
    countOf(stats.sessions, "session"),
    countOf(messages.user, "prompt"),
    countOf(total.answers, "answer"),
    countOf(messages.tool, "tool result"),
  ];
  const head = `${counts.join(", ")}, ${costText(total)}\n`;
  const byCost = (rows: Readonly<Record<string, Spending>>): [string, Spending][] =>
    Object.entries(rows).sort(([, a], [, b]) => b.cost - a.cost || b.answers - a.answers);
  const days = Object.entries(stats.byDay).sort(([a], [b]) => b.localeCompare(a));
  const sections = [
    ...section("day", days, MOST_DAYS),
    ...section("model", byCost(stats.byModel), MOST_ROWS),
    ...section("project", byCost(stats.byProject), MOST_ROWS),
    ...(Object.keys(stats.byAgent).length > 1 ? section("agent", byCost(stats.byAgent), MOST_ROWS) : []),
  ];
  machine.stdout.write(head + (sections.length === 0 ? "" : `\n${table(sections.slice(0, -1))}`));
  if (unread.files + unread.lines > 0)
    machine.stderr.write(
      `lathe: Not counted: ${countOf(unread.files, "older or unreadable file")}, ${countOf(unread.lines, "damaged line")}. See: lathe sessions doctor\n`,
    );
  return EXIT.done;
};

/** How often each way of editing has worked for each model. */
function editsTable(all: ReturnType<typeof readEditCounts>): string {
  const rows = Object.entries(all).flatMap(([model, counts]) =>
    Object.entries(counts).map(([way, { applied, refused }]) => [
      printableLine(model),
      way,
      String(applied),
      String(refused),
      `${Math.round((100 * applied) / Math.max(1, applied + refused))} %`,
    ]),
  );
  return rows.length === 0
    ? "No edits have been counted yet.\n"
    : table([["model", "edits by", "applied", "refused", "share applied"], ...rows]);
}

/** All lists form one table, so that their columns line up. */
function section(title: string, rows: readonly (readonly [string, Spending])[], most: number): string[][] {
  if (rows.length === 0) return [];
  const left = rows.length - most;
  return [
    [`by ${title}`, "answers", "in", "cached", "out", "cost"],
    ...rows.slice(0, most).map(row),
    ...(left > 0 ? [[`and ${left} more: --json`]] : []),
    [],
  ];
}

const row = ([name, used]: readonly [string, Spending]): string[] => [
  printableLine(name),
  String(used.answers),
  tokens(used.input),
  tokens(used.cached),
  tokens(used.output),
  costText(used),
];

/** In UTC, like the days. */
function firstDay(days: string, now: number): string {
  if (!/^[1-9]\d*$/.test(days)) throw usageError(`--days takes a number of days, not "${days}".`);
  const first = now - (Number(days) - 1) * DAY_MS;
  return first <= 0 ? "" : new Date(first).toISOString().slice(0, 10);
}
