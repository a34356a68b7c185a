// Moves to another entry of the tree: asks the hooks, summarises the abandoned branch if wanted, then moves the leaf.
// Nothing changes before that.

import { withDeadline } from "../base/time/deadline.ts";
import type { BranchSummary, SeamContext, TreeMove } from "../contract/seams/types.ts";
import { existingEntry, isConversation, type Landing, landingOf, leftBehind } from "../record/journal/tree.ts";
import type { HostChoices, ModelContext, SessionLog, Toolbox } from "./facades.ts";

/** Summarises the abandoned branch. Throws with the reason if it cannot. */
export type BranchSummarizer = (move: TreeMove, context: SeamContext) => Promise<BranchSummary>;

/** What happens to the abandoned work. */
export interface NavigateOptions {
  /** Absent if the abandoned branch should not be summarised. */
  readonly summarize?: BranchSummarizer | undefined;
}

/** Where the conversation is after a request to move it. */
export interface Navigation {
  /** Why nothing changed: a hook objected, or the user interrupted. */
  readonly cancelled?: string | undefined;
  readonly leafId: string | null;
  /** Text of the chosen message, for the user to edit and send again. */
  readonly text?: string | undefined;
  readonly summaryEntryId?: string | undefined;
}

/** Longer than any summary takes. The model call inside has its own, shorter deadline. */
const SUMMARY_MS = 600_000;

/**
 * Plans the move to an entry; a null `targetId` is the start. Returns undefined if the conversation is there already.
 */
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
  // Only bookkeeping follows the last message, so the model would see the same.
  if (goesBack && landing.text === undefined && !left.entries.some(isConversation)) return undefined;
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

/** `text`: that of the chosen message. */
export type PlannedMove = TreeMove & { readonly text: string | undefined };

interface Trip extends NavigateOptions {
  readonly move: PlannedMove;
  /** Called when the move can no longer be stopped. */
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
  const isWanted = summarize !== undefined && move.entriesToSummarize.some(isConversation);
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

/** Forgets what was known about the old branch, because it does not hold on the new one. */
export function leafMoved(core: ModelContext & Toolbox): void {
  core.meter.reset();
  core.facts.forget();
  core.guard.expect("branch");
}
