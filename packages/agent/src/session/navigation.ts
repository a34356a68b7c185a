// Going to another place of the tree: hooks are asked, what is left may be summarised, then the leaf moves. Until that moment
// nothing has changed.

import { withDeadline } from "../base/time/deadline.ts";
import type { BranchSummary, SeamContext, TreeMove } from "../contract/seams/types.ts";
import { existingEntry, isPartOfTalk, type Landing, landingOf, leftBehind } from "../record/journal/tree.ts";
import type { HostChoices, ModelContext, SessionLog, Toolbox } from "./facades.ts";

/** Makes the summary of what is left behind; throws with the reason when it cannot. */
export type BranchSummarizer = (move: TreeMove, context: SeamContext) => Promise<BranchSummary>;

/** What happens to the work that is left. */
export interface NavigateOptions {
  /** Absent: what is left behind is not summarised. */
  readonly summarize?: BranchSummarizer | undefined;
}

/** Where the conversation is after a wish to go elsewhere. */
export interface Navigation {
  /** Why nothing has changed: a hook objected, or the work was interrupted. */
  readonly cancelled?: string | undefined;
  readonly leafId: string | null;
  /** Of the message that was chosen: to be edited and sent again. */
  readonly text?: string | undefined;
  readonly summaryEntryId?: string | undefined;
}

/** Longer than any summary takes; the model call inside has its own, shorter deadline. */
const SUMMARY_MS = 600_000;

/** `targetId` null is the start. Undefined when the conversation is there already. */
export function plannedMove(
  { journal }: SessionLog,
  targetId: string | null,
  { summarize }: NavigateOptions,
): PlannedMove | undefined {
  const oldLeafId = journal.leaf;
  if (targetId === oldLeafId) return undefined;
  const landing: Landing = targetId === null ? { leafId: null } : landingOf(existingEntry(journal, targetId));
  const left = leftBehind(journal, oldLeafId, landing.leafId);
  const goesBack = left.commonAncestorId === landing.leafId;
  // What follows the last message is bookkeeping: the model would see the same.
  if (goesBack && landing.text === undefined && !left.entries.some(isPartOfTalk)) return undefined;
  return {
    targetId,
    oldLeafId,
    newLeafId: landing.leafId,
    commonAncestorId: left.commonAncestorId,
    entriesToSummarize: left.entries,
    userWantsSummary: summarize !== undefined,
    text: landing.text,
  };
}

/** The chosen place; `text`: of the message that was chosen. */
export type PlannedMove = TreeMove & { readonly text: string | undefined };

interface Trip extends NavigateOptions {
  readonly move: PlannedMove;
  /** Called when nothing can stop it any more. */
  readonly beforeMove: () => void;
}

export async function navigateTo(
  core: SessionLog & HostChoices & ModelContext & Toolbox,
  trip: Trip,
  signal: AbortSignal,
): Promise<Navigation> {
  const { summarize, beforeMove } = trip;
  const { text, ...move } = trip.move;
  const verdict = await core.seams.beforeTree(move, signal);
  if (verdict && "cancel" in verdict) return { cancelled: verdict.cancel, leafId: core.journal.leaf };
  const isWanted = summarize !== undefined && move.entriesToSummarize.some(isPartOfTalk);
  const summary = verdict ?? (isWanted ? await summarizeBranch(core, summarize, move, signal) : undefined);
  signal.throwIfAborted();
  beforeMove();
  const summaryEntryId = summary && putSummary(core, move, summary, verdict !== undefined);
  if (!summary) core.journal.setLeaf(move.newLeafId);
  leafMoved(core);
  const leafId = core.journal.leaf;
  core.emit("tree_moved", {
    old_leaf_id: move.oldLeafId,
    new_leaf_id: leafId,
    from_extension: verdict !== undefined,
    ...(summaryEntryId === undefined ? {} : { summary_entry_id: summaryEntryId }),
  });
  return {
    leafId,
    ...(text === undefined ? {} : { text }),
    ...(summaryEntryId === undefined ? {} : { summaryEntryId }),
  };
}

function summarizeBranch(
  core: HostChoices & Toolbox,
  summarize: BranchSummarizer,
  move: TreeMove,
  signal: AbortSignal,
): Promise<BranchSummary> {
  const limits = { what: "the summary of the branch", ms: SUMMARY_MS, graceMs: 500, signal };
  return withDeadline(core.deps, limits, (inner) => summarize(move, core.seams.context(inner)));
}

function putSummary(
  core: SessionLog & HostChoices & ModelContext & Toolbox,
  move: TreeMove,
  given: BranchSummary,
  fromExtension: boolean,
): string {
  const { summary, details } = core.redact(given);
  const entry = core.journal.branchWithSummary(move.newLeafId, summary, {
    ...(details === undefined ? {} : { details }),
    ...(fromExtension ? { fromExtension } : {}),
  });
  core.emit("entry", { id: entry.id, type: entry.type });
  return entry.id;
}

/** What was known of the old branch does not hold on the new one. */
export function leafMoved(core: ModelContext & Toolbox): void {
  core.meter.reset();
  core.facts.forget();
  core.guard.expect("branch");
}
