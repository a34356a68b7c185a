// Replaces older history by a summary, or empties old results. Middleware decides what to keep; this module makes the
// change, journals and announces it.

import { messageOf } from "@lathe/llm";
import { sentence } from "../base/text/sentence.ts";
import { withDeadline } from "../base/time/deadline.ts";
import type { EventData } from "../contract/events/types.ts";
import type { PruneEntry } from "../contract/journal.ts";
import type { CompactionDemand, CompactionPlan, SummaryWishes } from "../contract/seams/types.ts";
import { pathTo } from "../record/journal/context.ts";
import { JournalError } from "../record/journal/errors.ts";
import type { HostChoices, ModelContext, SessionLog, Toolbox } from "./facades.ts";

/** Longer than any summary takes. The model call inside has its own, shorter deadline. */
const SUMMARY_MS = 600_000;

/** Shown when an automatic compaction fails: the user did not ask for it and needs the reason. */
const FAILED: Readonly<Record<string, string>> = {
  overflow: "Context overflow recovery failed",
  incomplete: "Incomplete response recovery failed",
  threshold: "Auto-compaction failed",
  idle: "Auto-compaction failed",
};

/** The result of a compaction. */
export interface CompactionOutcome {
  /** Why the context was not reduced; absent if it is smaller now. */
  readonly problem?: string;
}

const NOTHING = "there is nothing to compact";

/** Announced before the summary is requested, because that takes long. */
export async function applyCompaction(
  core: SessionLog & HostChoices & ModelContext & Toolbox,
  demand: CompactionPlan | CompactionDemand,
  signal: AbortSignal,
): Promise<CompactionOutcome> {
  const { reason } = demand;
  const tokensBefore = ("summarize" in demand ? undefined : demand.tokensBefore) ?? core.meter.tokens();
  core.emit("compaction_start", { reason, tokens_before: tokensBefore });
  try {
    const end = await compactHistory(core, demand, tokensBefore, signal);
    core.emit("compaction_end", end);
    if (end.error === undefined) return {};
    if (end.error !== NOTHING) core.warn(`Compaction was cancelled: ${sentence(end.error)}`, "compaction_cancelled");
    else if (reason === "manual") core.warn("There is nothing to compact.", "nothing_to_compact");
    return { problem: end.error };
  } catch (error) {
    const problem = messageOf(error);
    core.emit("compaction_end", { error: problem });
    if (error instanceof JournalError || signal.aborted) throw error;
    const failed = Object.hasOwn(FAILED, reason) ? FAILED[reason] : "Compaction failed";
    core.warn(`${failed}: ${sentence(problem)} The context stays as it is.`, "compaction_failed");
    return { problem };
  }
}

async function compactHistory(
  core: SessionLog & HostChoices & ModelContext & Toolbox,
  demand: CompactionPlan | CompactionDemand,
  tokensBefore: number,
  signal: AbortSignal,
): Promise<EventData["compaction_end"]> {
  const { reason } = demand;
  const told = "summarize" in demand ? await core.seams.beforeSummary({ reason, tokensBefore }, signal) : undefined;
  if (told && "cancel" in told) return { error: told.cancel };
  const plan = "summarize" in demand ? await recordSummary(core, demand, signal, told) : demand;
  if (!plan) return { error: NOTHING };
  if (!("summary" in plan)) {
    applyPrune(core, plan.prune);
    return { pruned: plan.prune.length, tokens_after: core.meter.tokens() };
  }
  const verdict = await core.seams.beforeCompact(plan, signal);
  if ("cancel" in verdict) return { error: verdict.cancel };
  const entry_id = replaceHistory(core, verdict.plan, tokensBefore, told?.notes !== undefined);
  const { prune = [], details } = verdict.plan;
  if (prune.length > 0) applyPrune(core, prune);
  return {
    entry_id,
    tokens_after: core.meter.tokens(),
    ...(prune.length > 0 ? { pruned: prune.length } : {}),
    ...(details === undefined ? {} : { details }),
  };
}

function recordSummary(
  core: HostChoices & Toolbox,
  demand: CompactionDemand,
  signal: AbortSignal,
  wishes: SummaryWishes | undefined,
): ReturnType<CompactionDemand["summarize"]> {
  const limits = { what: "the summary", ms: SUMMARY_MS, graceMs: 500, signal };
  return withDeadline(core.deps, limits, (inner) => demand.summarize(core.seams.context(inner), wishes));
}

/** Returns the id of the new entry. */
function replaceHistory(
  core: SessionLog & ModelContext,
  plan: CompactionPlan,
  tokensBefore: number,
  fromExtension: boolean,
): string {
  const { summary, shortSummary, firstKeptEntryId, keep, details, preserveData } = plan;
  const noted = { ...details, ...(keep === undefined ? {} : { keep: [...keep] }) };
  const entry = core.append({
    type: "compaction",
    summary,
    firstKeptEntryId,
    tokensBefore,
    ...(shortSummary === undefined ? {} : { shortSummary }),
    ...(Object.keys(noted).length === 0 ? {} : { details: noted }),
    ...(preserveData === undefined ? {} : { preserveData }),
    ...(fromExtension ? { fromExtension } : {}),
  });
  core.meter.reset();
  core.guard.expect("compaction");
  return entry.id;
}

/**
 * Brings back everything that compactions and pruning hid on the current branch. It is an ordinary entry: later
 * messages stay. Returns false if nothing is hidden.
 */
export function restoreHistory(core: SessionLog & ModelContext): boolean {
  const { journal, meter } = core;
  if (!journal.context.isShortened) return false;
  const [root] = pathTo(journal, journal.leaf);
  if (root === undefined) return false;
  core.append({ type: "compaction", summary: "", firstKeptEntryId: root, tokensBefore: meter.tokens() });
  meter.reset();
  core.guard.expect("compaction");
  return true;
}

/** `only`: which parts of these entries to hide; all when absent. */
export function applyPrune(
  core: SessionLog & ModelContext,
  entryIds: readonly string[],
  only: Pick<PruneEntry, "media" | "thoughts"> = {},
): void {
  core.append({ type: "prune", prune: [...entryIds], ...only });
  core.meter.reset();
  core.guard.expect("prune");
}
