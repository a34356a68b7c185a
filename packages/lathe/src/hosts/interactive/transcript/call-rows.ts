// A call as rows: the headline with mark, verb, subject and outcome, and below it the body of the tool's card.

import type { Card } from "@lathe/agent";
import { elapsedTime, type Row, type Span, type Style, shorten, visible, visibleLine, widthOf } from "@lathe/tui";
import { bodyRows } from "./body-rows.ts";
import { durationText } from "./duration-text.ts";
import type { CallItem } from "./item.ts";
import { dim, hangRows, type ItemView, SEPARATOR, span, subjectOf } from "./view.ts";

/** A longer command is cut until the user expands the transcript. */
const HEADLINE_ROWS = 3;
/** The duration of a faster call is not shown. */
const WORTH_TELLING_MS = 1000;

export function callRows(item: CallItem, view: ItemView): Row[] {
  return [...headline(item, view), ...bodyRows(item, view)];
}

export const isFailed = ({ state, card }: CallItem): boolean => state === "failed" || card.failed === true;

export function markOf(item: CallItem, { symbols }: ItemView): Span {
  if (isFailed(item)) return span(symbols.failure, { color: "error" });
  switch (item.state) {
    case "done":
      return span(symbols.success, { color: "success" });
    case "running":
      return span(symbols.running, { color: "accent" });
    default:
      return span(symbols.pending, { color: "dim" });
  }
}

function headline(item: CallItem, view: ItemView): Row[] {
  const { card } = item;
  const lead = [markOf(item, view), { text: " " }];
  const verb = span(card.verb, { color: "toolTitle", bold: true });
  const end = endSpans(item, view);
  const endWidth = end.reduce((sum, { text }) => sum + widthOf(text), 0);
  const about = subjectOf(card, view);
  const subject = view.expanded
    ? visible(about).trim()
    : shorten(visibleLine(about), roomFor(view, card, endWidth), view.symbols.ellipsis);
  const parts = [verb, ...(subject === "" ? [] : [{ text: " " }, span(subject, { color: "text" })]), ...end];
  return hangRows(view, parts, lead);
}

/** Columns for the subject, so that the headline keeps to its rows and always shows the outcome. */
function roomFor(view: ItemView, card: Card, endWidth: number): number {
  const row = Math.max(1, view.columns - 2);
  const oneRow = row - widthOf(card.verb) - 1 - endWidth;
  if (widthOf(visibleLine(subjectOf(card, view))) <= oneRow) return oneRow;
  // Word wrap leaves gaps at the ends of rows.
  return Math.max(10, Math.floor((row * HEADLINE_ROWS - widthOf(card.verb) - 1 - endWidth) * 0.85));
}

function endSpans(item: CallItem, view: ItemView): Span[] {
  const { card, state, since, tookMs, decision } = item;
  const failed = isFailed(item);
  const parts: Span[] = [];
  const add = (text: string, style: Style): void => {
    parts.push(dim(SEPARATOR), span(text, style));
  };
  if (card.outcome !== undefined && card.outcome !== "") {
    if (/^\+\d+ -\d+$/.test(card.outcome) && !failed) for (const part of lineCount(card.outcome)) parts.push(part);
    else add(visibleLine(card.outcome), { color: failed ? "error" : "muted" });
  }
  if (state === "skipped" || state === "cut off") add(state, { color: "dim" });
  if (state === "waiting") add("waiting for your answer", { color: "warning" });
  if (decision !== undefined) add(decision, { color: "dim" });
  if (card.asks) return parts;
  if (state === "running" && since !== undefined && view.now - since >= WORTH_TELLING_MS) {
    add(elapsedTime(view.now - since), { color: "dim" });
    if (card.canDetach && view.backgroundKey !== undefined)
      add(`${view.backgroundKey} to background`, { color: "dim" });
  }
  if (state !== "running" && tookMs !== undefined && tookMs >= WORTH_TELLING_MS)
    add(`took ${durationText(tookMs)}`, { color: "dim" });
  return parts;
}

function lineCount(outcome: string): Span[] {
  const [added = "", removed = ""] = outcome.split(" ");
  return [
    dim(SEPARATOR),
    span(added, { color: "toolDiffAdded" }),
    { text: " " },
    span(removed, { color: "toolDiffRemoved" }),
  ];
}
