// @lathe/agent/contract. Types that tools, sessions and hosts share, beyond the main door.

export type { CardDiff, CardResult } from "./contract/card.ts";
export type { ContentRef, FileChange } from "./contract/changes.ts";
export type { CheckpointService } from "./contract/checkpoints.ts";
export type { CompletionService, Yielded } from "./contract/completion.ts";
export type { AwaitedInput, MessageSource, PrefixReason } from "./contract/events/types.ts";
export type { IrcMessage, IrcPeer, IrcService, Receipt, Waited } from "./contract/irc.ts";
export {
  type BranchSummaryEntry,
  type ChildHeader,
  type CompactionEntry,
  type CustomEntry,
  type CustomMessageEntry,
  type DecidedPart,
  type DecisionLine,
  type HostLine,
  type InputLine,
  type IntentLine,
  JOURNAL_VERSION,
  type JournalLine,
  type JournalLoss,
  type LabelEntry,
  type LeafLine,
  type McpToolSelectionEntry,
  type MessageEntry,
  type ModeChangeEntry,
  type ModelChangeEntry,
  type OutsideLine,
  type PicturedHistory,
  type PrefixLine,
  type PreservedData,
  type PruneEntry,
  type RewindRecord,
  type SealLine,
  type ServiceTierChangeEntry,
  type SessionHeader,
  type SessionInitEntry,
  type SettleLine,
  type SnapshotLine,
  type ThinkingLevelChangeEntry,
  type TitleLine,
  type TreeEntry,
  type TreeFields,
  type TtsrInjectionEntry,
  type VendorHistory,
} from "./contract/journal.ts";
export type { Context, ContextState, EntryPlace, JournalReader } from "./contract/journal-reader.ts";
export { CallPaths, type Located } from "./contract/paths/call-paths.ts";
export { near } from "./contract/paths/near.ts";
export type { PendingAction, PendingActionService } from "./contract/pending-actions.ts";
export type { PromptPart } from "./contract/prompt-part.ts";
export { renderQuestions } from "./contract/questions.ts";
export type { RegisteredTool } from "./contract/registry/registry.ts";
export {
  type SchemeContent,
  type SchemeEntry,
  SchemeRegistry,
  type SchemeResolver,
  type WantedPart,
} from "./contract/seams/schemes.ts";
export type {
  BranchSummary,
  CompactionDemand,
  CompactionPlan,
  FailedCall,
  LeaveVerdict,
  SessionSwitch,
  SideAnswer,
  SideCall,
  StreamCut,
  SummaryVerdict,
  TreeMove,
  TreeVerdict,
  VendorCompaction,
} from "./contract/seams/types.ts";
export type { SessionFacts } from "./contract/session-state.ts";
export type {
  OuterForm,
  ShellAnalysis,
  ShellAssignment,
  ShellContext,
  ShellDanger,
  ShellPart,
} from "./contract/shell.ts";
export type {
  AgentDirectory,
  AgentOverview,
  AgentReport,
  AgentState,
  AgentStatus,
  BatchReport,
  BatchRequest,
  BatchTask,
  KeptWork,
  RetryFailure,
  SendReceipt,
  SpawnRequest,
} from "./contract/subagents.ts";
export {
  type ArtifactRef,
  type ArtifactWriter,
  type CallScope,
  type Effects,
  type HostServices,
  PlanChanged,
} from "./contract/tool.ts";
