// Stores the running totals of a session in a line outside the tree, so that a reopened session need not read its whole
// history.

import { comparableUsage, type JsonObject, type Usage } from "@lathe/llm";
import { Checker, number, openObject, optional, orNull, text } from "@lathe/llm/schema";
import { spentBy } from "../agents/subagents/records.ts";
import { plainUsage } from "../base/budget/ledger.ts";
import type { CustomEntry, MessageEntry, NestedCallEntry } from "../contract/journal.ts";
import { usageShape } from "../record/journal/line-shapes.ts";
import type { SessionLog, Work } from "./facades.ts";
import { sideCost } from "./side-call.ts";

const KIND = "totals";
const amount = optional(number());
const DATA = new Checker(
  openObject({
    leaf: orNull(text()),
    turns: number(),
    spent: openObject({ tokens: amount, usd: amount, wallMs: amount, turns: amount, calls: amount }),
    usage: usageShape,
    uncertain: optional(openObject({ tokens: amount, usd: amount })),
    settled: amount,
  }),
);

export function saveLedger(core: SessionLog & Work): void {
  const { ledger, journal } = core;
  journal.write({
    type: "host",
    kind: KIND,
    data: {
      leaf: journal.leaf,
      turns: core.turns,
      spent: { ...ledger.spent },
      usage: plainUsage(ledger.usage),
      settled: journal.settled,
      ...(ledger.uncertain.tokens > 0 ? { uncertain: { ...ledger.uncertain } } : {}),
    },
  });
}

/** Reads the last totals and adds the entries that came after them. */
export function restoreLedger(core: SessionLog & Work): void {
  let last: JsonObject | undefined;
  for (const line of core.journal.outside("host")) {
    if (line.kind === KIND && DATA.fits(line.data)) last = line.data as JsonObject;
  }
  if (last) {
    core.turns = last["turns"] as number;
    core.ledger.restore(
      last["spent"] as JsonObject as Record<string, number>,
      last["usage"] as unknown as Usage,
      last["uncertain"] as JsonObject | undefined,
    );
  }
  addFailures(core, last);
  // We go through the file in order, because money spent on another branch is spent too.
  const leaf = (last?.["leaf"] ?? null) as string | null;
  const upTo = leaf !== null && core.journal.has(leaf) ? leaf : null;
  let isCounted = upTo !== null;
  for (const id of core.journal.entryIds()) {
    if (!isCounted) addEntry(core, id);
    else if (id === upTo) isCounted = false;
  }
}

function addEntry(core: SessionLog & Work, id: string): void {
  const type = core.journal.meta(id)?.type;
  if (type === "message") addAnswer(core, core.journal.entry(id) as MessageEntry);
  else if (type === "nested_call") addCall(core, core.journal.entry(id) as NestedCallEntry);
  else if (type === "custom") addCost(core, core.journal.entry(id) as CustomEntry);
}

/**
 * Adds requests that failed or were cut off with the process. Totals of older versions do not say how many of them they
 * include.
 */
function addFailures({ journal, ledger }: SessionLog & Work, totals: JsonObject | undefined): void {
  for (const { reserved } of journal.openIntents()) if (reserved) ledger.addUncertain(reserved);
  let held = totals === undefined ? 0 : ((totals["settled"] ?? Number.POSITIVE_INFINITY) as number);
  for (const { usage, cost = 0, uncertain } of journal.outside("settle")) {
    if (held-- > 0) continue;
    if (usage) ledger.request(comparableUsage(usage, ""), cost);
    if (uncertain) ledger.addUncertain(uncertain);
  }
}

function addAnswer(core: SessionLog & Work, entry: MessageEntry): void {
  const { message, uncertain } = entry;
  if (message.role === "tool") addCall(core, entry);
  if (message.role !== "assistant") return;
  core.turns += 1;
  core.ledger.turn();
  if (uncertain) core.ledger.addUncertain(uncertain);
  if (!entry.usage) return;
  core.ledger.request(comparableUsage(entry.usage, entry.provider ?? ""), entry.cost ?? 0);
}

function addCall({ ledger }: SessionLog & Work, { settled }: Pick<NestedCallEntry, "settled">): void {
  if (settled !== "skipped") ledger.call();
}

/** Adds the cost of a child or of a call outside the conversation. */
function addCost(core: SessionLog & Work, entry: CustomEntry): void {
  const spent = spentBy(entry);
  if (spent) core.ledger.settle(entry.id, spent);
  const side = sideCost(entry);
  if (side) core.ledger.request(side.usage, side.cost ?? 0);
}
