// @lathe/agent/context: what a request consists of: surroundings, compaction, ledger, branches, recall.

export { type BranchSummaryOptions, branchSummarizer } from "./context/branches/branch-summary.ts";
export { beganWithBriefing, HANDOFF } from "./context/compaction/briefing.ts";
export * from "./context/compaction/handoff.ts";
export { type Room, roomIn } from "./context/compaction/settings.ts";
export type { Summarizer, SummaryAnswer } from "./context/compaction/summarize.ts";
export type { CompactionTrigger, WantedCompaction } from "./context/compaction/wanted.ts";
export {
  type AskedGit,
  askGit,
  type GitFacts,
  type GitPatience,
  type GitSnapshot,
  type HostFacts,
} from "./context/environment.ts";
export { repositoryRoot } from "./context/git-files.ts";
export * from "./context/imports.ts";
export { contextLedger, type LedgerInput } from "./context/ledger/ledger.ts";
export * from "./context/ledger/types.ts";
export { mostTokensIn, mostTokensOf } from "./context/most-tokens.ts";
export type { PrefixTexts } from "./context/prefix/prefix.ts";
export { FolderDocs, joinDocs, type ProjectDocs, pathDown } from "./context/project-docs.ts";
export type { Found, Recall } from "./context/recall/recall.ts";
export * from "./context/surroundings.ts";
export type { ArrangePrompt, MoreLayers } from "./context/system-prompt.ts";
