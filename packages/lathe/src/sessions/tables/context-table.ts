// The context ledger as shown to users: a bar for each kind of owner, then the largest owners.

import type { ContextLedger, LedgerGroup, LedgerOwner, OwnerKind } from "@lathe/agent/context";
import { printableLine, shorten } from "../list.ts";
import { tokens } from "../numbers.ts";
import { table } from "./table.ts";

const LABELS: Readonly<Record<OwnerKind, string>> = {
  prompt: "system prompt",
  instructions: "instruction files",
  tool: "tool schemas",
  environment: "environment",
  summary: "summaries",
  kept: "kept messages",
  user: "your messages",
  note: "notes",
  answer: "answers",
  thinking: "thinking",
  call: "tool calls",
  result: "tool results",
  media: "pictures",
  framing: "request format",
};

const BAR = 24;
const LEAST_BAR = 4;
const LARGEST = 8;
const NAME = 60;
const LEAST_NAME = 8;

export interface ContextView extends ContextLedger {
  readonly groups: readonly LedgerGroup[];
  readonly threshold?: number;
}

/** `all` lists every owner in the order of the request instead of the largest. `columns` is the width of the screen. */
export function contextTable(
  view: ContextView,
  { all = false, columns = Number.POSITIVE_INFINITY }: { readonly all?: boolean; readonly columns?: number } = {},
): string {
  const { owners } = view;
  const shown = all ? owners : [...owners].sort((a, b) => b.tokens - a.tokens).slice(0, LARGEST);
  return [headOf(view), groupTable(view, columns), `${all ? "All" : "Largest"}:\n${ownerTable(shown, columns)}`].join(
    "\n",
  );
}

function headOf({ provider, model, tokens: used, window, threshold }: ContextView): string {
  const name = printableLine(provider === "" ? model : `${provider}/${model}`);
  if (window <= 0) return `${name}: about ${tokens(used)} tokens; the size of its context is not known.\n`;
  const free = `${tokens(Math.max(0, window - used))} free`;
  const room =
    threshold === undefined
      ? "no automatic compaction"
      : `compaction above ${tokens(threshold)} (${percent(threshold, window)})`;
  return `${name}\nabout ${tokens(used)} of ${tokens(window)} tokens (${percent(used, window)}), ${free}, ${room}\n`;
}

function groupTable({ groups, tokens: used, window }: ContextView, columns: number): string {
  const whole = window > 0 ? Math.max(window, used) : used;
  const names = groups.map(({ kind, count }) => (count > 1 ? `${LABELS[kind]} (${count})` : LABELS[kind]));
  const numbers = "  123.4k  100 %  ".length;
  const longest = roomBeside(widest(names) + numbers, columns, LEAST_BAR, BAR);
  const rows = groups.map(({ tokens: own }, i) => [
    names[i] ?? "",
    tokens(own).padStart(6),
    percent(own, whole).padStart(5),
    bar(own, used, longest),
  ]);
  const free =
    window > used ? [["free", tokens(window - used).padStart(6), percent(window - used, whole).padStart(5)]] : [];
  return table([...rows, ...free]);
}

function ownerTable(owners: readonly LedgerOwner[], columns: number): string {
  const labels = widest(owners.map(({ kind }) => LABELS[kind]));
  const room = roomBeside(8 + 2 + labels + 2, columns, LEAST_NAME, NAME);
  return table(
    owners.map(({ kind, name, tokens: own }) => [
      tokens(own).padStart(8),
      LABELS[kind],
      shorten(printableLine(name), room),
    ]),
  );
}

const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length));

/** The width left for the last column after `before` characters. */
const roomBeside = (before: number, columns: number, least: number, most: number): number =>
  Math.max(least, Math.min(most, columns - before));

/** The bar is relative to what is used, so that small groups can be told apart in a large window. */
function bar(part: number, whole: number, longest: number): string {
  const length = whole === 0 ? 0 : (longest * part) / whole;
  return length > 0 && length < 0.5 ? "▏" : "█".repeat(Math.round(length));
}

function percent(part: number, whole: number): string {
  const share = whole === 0 ? 0 : (100 * part) / whole;
  return share > 0 && share < 1 ? "<1 %" : `${Math.round(share)} %`;
}
