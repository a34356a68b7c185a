// Runs the calls of one answer: in parallel, within a fixed number of lanes, if the profile allows it; exclusive calls
// one after another. An edit and the calls before and after it wait for each other: tests requested after an edit must
// not run before the edit is made. A failing call never cancels the others. Results are journalled as they arrive; the
// context puts them into call order.

import type { ToolCallData } from "@lathe/llm";
import type { HostChoices, Toolbox, WholeSession, Work } from "../facades.ts";
import { isReport } from "../inbox.ts";
import { argumentsOf } from "./card.ts";
import { topPlace } from "./nest.ts";
import { type Bypass, runCall } from "./run-call.ts";

/** The tools that a call can use. */
type Offer = Toolbox;
export interface Batch {
  readonly calls: readonly ToolCallData[];
  /** The answer was cut off at the output limit. */
  readonly lastIsIncomplete: boolean;
}

export async function runBatch(core: WholeSession, signal: AbortSignal, batch: Batch): Promise<void> {
  const { calls } = batch;
  const start = (call: ToolCallData, index: number): Promise<unknown> =>
    runCall(core, signal, call, topPlace(core.lane), bypass(core, batch, index));
  if (calls.length === 1 || !core.profile.supportsParallelToolCalls) {
    for (const [index, call] of calls.entries()) await start(call, index);
    return;
  }
  const writing = calls.map((call) => isWrite(core, call));
  for (let from = 0; from < calls.length; ) {
    let to = from + 1;
    while (to < calls.length && writing[to] === writing[from]) to++;
    const first = from;
    await runTogether(core, calls.slice(first, to), (call, nth) => start(call, first + nth));
    from = to;
  }
}

function isWrite(core: Offer, call: ToolCallData): boolean {
  const tier = core.tools.get(call.name)?.tool.tier;
  if (typeof tier !== "function") return tier === "write";
  try {
    return tier(argumentsOf(call)) === "write";
  } catch {
    return true; // not checked against the schema yet: a call of unknown tier is ordered like a write
  }
}

/** An answer may contain hundreds of calls; at most this many are judged and run at the same time. */
const LANES = 32;

async function runTogether(
  core: Offer,
  calls: readonly ToolCallData[],
  start: (call: ToolCallData, nth: number) => Promise<unknown>,
): Promise<void> {
  const isExclusive = (call: ToolCallData): boolean => core.tools.get(call.name)?.tool.exclusive === true;
  const inRow: number[] = [];
  const rows: number[][] = [];
  for (const [nth, call] of calls.entries()) {
    if (!isExclusive(call)) rows.push([nth]);
    else if (inRow.push(nth) === 1) rows.push(inRow);
  }
  const waiting = rows.values();
  const lane = async (): Promise<void> => {
    for (const row of waiting) for (const nth of row) await start(calls[nth]!, nth);
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.min(LANES, rows.length) }, lane));
  for (const outcome of settled) if (outcome.status === "rejected") throw outcome.reason;
}

/** Must be decided at the moment when a call would start. */
function bypass(core: HostChoices & Work, batch: Batch, index: number): Bypass {
  // The end of a background job is not a user's message about this work.
  const isSteered = core.inbox.list("steering").some((message) => !isReport(message));
  if (core.config.interruptMode === "immediate" && isSteered) return "skipped";
  return batch.lastIsIncomplete && index === batch.calls.length - 1 ? "incomplete" : undefined;
}
