// The running totals of a session as a line beside the tree, so that a reopened session need not read all its history.

import type { JsonObject, Usage } from "@lathe/llm";
import type { CustomEntry, MessageEntry } from "../journal/types.ts";
import { spentBy } from "../subagents/records.ts";
import type { SessionCore } from "./core.ts";

const KIND = "ledger";

export function saveLedger(core: SessionCore): void {
  const { ledger, journal } = core;
  journal.write({
    type: "host",
    kind: KIND,
    data: { leaf: journal.leaf, turns: core.turns, spent: { ...ledger.spent }, usage: plain(ledger.usage) },
  });
}

/** Takes the last totals and adds the answers that came after them. */
export function restoreLedger(core: SessionCore): void {
  let last: JsonObject | undefined;
  for (const line of core.journal.outside("host")) if (line.kind === KIND) last = line.data as JsonObject;
  if (last) {
    core.turns = last["turns"] as number;
    core.ledger.restore(last["spent"] as JsonObject as Record<string, number>, last["usage"] as unknown as Usage);
  }
  const upTo = last?.["leaf"] ?? null;
  for (let id = core.journal.leaf; id !== null && id !== upTo; ) {
    const meta = core.journal.meta(id);
    if (!meta) break;
    if (meta.type === "message") addAnswer(core, core.journal.entry(id) as MessageEntry);
    else if (meta.type === "custom") addChild(core, core.journal.entry(id) as CustomEntry);
    id = meta.parentId;
  }
}

function addAnswer(core: SessionCore, entry: MessageEntry): void {
  if (entry.message.role !== "assistant") return;
  core.turns += 1;
  core.ledger.turn();
  if (entry.usage) core.ledger.request(entry.usage, entry.cost ?? 0);
}

function addChild(core: SessionCore, entry: CustomEntry): void {
  const spent = spentBy(entry);
  if (spent) core.ledger.settle(entry.id, spent.usage, spent.cost, spent.turns);
}

function plain(usage: Usage): JsonObject {
  const { raw: _raw, estimated: _estimated, ...counts } = usage;
  return counts as JsonObject;
}
