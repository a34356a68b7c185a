// Puts a summary in the place of older history, or empties old results. What to keep is decided by middleware; here the
// change is made, journalled and announced.

import { messageOf } from "@lathe/llm";
import { JournalError } from "../journal/errors.ts";
import type { PruneEntry } from "../journal/types.ts";
import type { CompactionDemand, CompactionPlan } from "../seams/types.ts";
import { withDeadline } from "../time/deadline.ts";
import type { ClockPart, ContextPart, EventPart, JournalPart, SeamPart } from "./parts.ts";

/** Where a history can be made shorter. */
export type HistoryParts = JournalPart & Pick<ContextPart, "meter" | "guard">;

/** Longer than any summary takes; the model call inside has its own, shorter deadline. */
const SUMMARY_MS = 600_000;

/** True when the context is smaller now. Announced before the summary is asked for, which takes long. */
export async function applyCompaction(
  core: HistoryParts & EventPart & SeamPart & ClockPart,
  demand: CompactionPlan | CompactionDemand,
  signal: AbortSignal,
): Promise<boolean> {
  const tokensBefore = ("summarize" in demand ? undefined : demand.tokensBefore) ?? core.meter.tokens();
  core.emit("compaction_start", { reason: demand.reason, tokens_before: tokensBefore });
  try {
    const plan = "summarize" in demand ? await summarized(core, demand, signal) : demand;
    const verdict = plan ? await core.seams.beforeCompact(plan, signal) : { cancel: "there is nothing to compact" };
    if ("plan" in verdict) {
      core.emit("compaction_end", { entry_id: replaceHistory(core, verdict.plan, tokensBefore) });
      return true;
    }
    core.warn(`compaction was cancelled: ${verdict.cancel}`, "compaction_cancelled");
    core.emit("compaction_end", { error: verdict.cancel });
    return false;
  } catch (error) {
    core.emit("compaction_end", { error: messageOf(error) });
    if (error instanceof JournalError || signal.aborted) throw error;
    core.warn(`compaction failed, the context stays as it is: ${messageOf(error)}`, "compaction_failed");
    return false;
  }
}

function summarized(
  core: SeamPart & ClockPart,
  demand: CompactionDemand,
  signal: AbortSignal,
): Promise<CompactionPlan | undefined> {
  const limits = { what: "the summary", ms: SUMMARY_MS, graceMs: 500, signal };
  return withDeadline(core.deps, limits, (inner) => demand.summarize(core.seams.context(inner)));
}

/** Returns the id of the entry. */
function replaceHistory(core: HistoryParts, plan: CompactionPlan, tokensBefore: number): string {
  const { summary, shortSummary, firstKeptEntryId, keep, preserveData } = plan;
  const entry = core.append({
    type: "compaction",
    summary,
    firstKeptEntryId,
    tokensBefore,
    ...(shortSummary === undefined ? {} : { shortSummary }),
    ...(keep === undefined ? {} : { details: { keep: [...keep] } }),
    ...(preserveData === undefined ? {} : { preserveData }),
  });
  core.meter.reset();
  core.guard.expect("compaction");
  return entry.id;
}

/** `only`: what of them; all when absent. */
export function applyPrune(
  core: HistoryParts,
  entryIds: readonly string[],
  only: Pick<PruneEntry, "media" | "thoughts"> = {},
): void {
  core.append({ type: "prune", prune: [...entryIds], ...only });
  core.meter.reset();
  core.guard.expect("prune");
}
