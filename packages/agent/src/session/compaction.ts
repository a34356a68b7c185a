// Puts a summary in the place of older history, or empties old results. What to keep is decided by middleware; here the
// change is made, journalled and announced.

import type { PruneEntry } from "../journal/types.ts";
import type { CompactionPlan } from "../seams/types.ts";
import type { SessionCore } from "./core.ts";

export async function applyCompaction(core: SessionCore, plan: CompactionPlan, signal: AbortSignal): Promise<boolean> {
  const verdict = await core.seams.beforeCompact(plan, signal);
  if ("cancel" in verdict) {
    core.warn(`compaction was called off: ${verdict.cancel}`, "compaction_cancelled");
    return false;
  }
  const { reason, summary, shortSummary, firstKeptEntryId, keep, preserveData } = verdict.plan;
  const tokensBefore = verdict.plan.tokensBefore ?? core.meter.tokens();
  core.emit("compaction_start", { reason, tokens_before: tokensBefore });
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
  core.emit("compaction_end", { entry_id: entry.id });
  return true;
}

/** `only`: what of them; all when absent. */
export function applyPrune(
  core: SessionCore,
  entryIds: readonly string[],
  only: Pick<PruneEntry, "media" | "thoughts"> = {},
): void {
  core.append({ type: "prune", prune: [...entryIds], ...only });
  core.meter.reset();
  core.guard.expect("prune");
}
