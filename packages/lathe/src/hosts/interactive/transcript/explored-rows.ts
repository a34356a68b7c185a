// Groups several reads and searches into one line, so that they do not push the actual work out of sight. A failed one
// keeps its own line, so that it is not hidden.

import { type Row, visibleLine } from "@lathe/tui";
import { callRows, isFailed, markOf } from "./call-rows.ts";
import type { CallItem } from "./item.ts";
import { dim, hangRows, type ItemView, span, subjectOf } from "./view.ts";

const FOLDED_ROWS = 3;

export function exploredRows(calls: readonly CallItem[], view: ItemView): Row[] {
  const [only] = calls;
  if (only && calls.length === 1) return callRows(only, view);
  const failed = calls.filter(isFailed);
  const told = calls.filter((call) => !isFailed(call));
  const own = view.expanded ? [] : failed.flatMap((call) => callRows(call, view));
  if (view.expanded) return calls.flatMap((call) => callRows(call, view));
  if (told.length === 0) return own;
  const isRunning = told.some(({ state }) => state === "running");
  const standing = told.find(({ state }) => state === "running") ?? (told[0] as CallItem);
  const mark = isRunning ? markOf(standing, view) : dim(view.symbols.bullet);
  const verb = span(isRunning ? "Exploring" : "Explored", { color: "toolTitle", bold: true });
  const text = span(` ${sentence(told, view)}`, { color: "muted" });
  return [...hangRows(view, [verb, text], [mark, { text: " " }], FOLDED_ROWS), ...own];
}

/** Such as "read a.ts, b.ts; searched flag (12 matches)": each verb once, in the order of its first call. */
function sentence(calls: readonly CallItem[], view: ItemView): string {
  const subjects = new Map<string, Set<string>>();
  for (const { card } of calls) {
    const verb = visibleLine(card.verb).toLowerCase();
    const counts = card.outcome === undefined || verb.startsWith("read") ? "" : ` (${visibleLine(card.outcome)})`;
    const list = subjects.get(verb) ?? new Set();
    subjects.set(verb, list.add(visibleLine(subjectOf(card, view)) + counts));
  }
  return [...subjects].map(([verb, list]) => `${verb} ${[...list].join(", ")}`).join("; ");
}
