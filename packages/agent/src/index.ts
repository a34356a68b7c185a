export type { Exchange, ExchangeParts } from "./agents/irc/exchange.ts";
export type { LogParts } from "./agents/irc/log.ts";
export type { AgentGroup, Mailbox, StoredMessage } from "./agents/irc/types.ts";
export type { Wait } from "./agents/irc/waits.ts";
export { type ChildStores, forkChildren } from "./agents/subagents/fork-children.ts";
export { type PastAgent, pastAgents } from "./agents/subagents/past-agents.ts";
export { startedAgent } from "./agents/subagents/records.ts";
export type {
  AgentLimits,
  AgentRole,
  AgentType,
  HostBatch,
  HostSubagents,
  IrcOptions,
  Isolation,
  IsolationRequest,
  LandedWork,
  LandingCall,
  LandingWish,
  Spawns,
  SubagentOptions,
} from "./agents/subagents/types.ts";
export { FileBlobs } from "./base/blobs/file-blobs.ts";
export { type BlobGcOptions, type BlobGcResult, collectBlobs } from "./base/blobs/gc.ts";
export { type BlobStore, MemoryBlobs } from "./base/blobs/store.ts";
export type { Amounts, BudgetConfig, BudgetDimension } from "./base/budget/ledger.ts";
export { Bm25, type WeightedText } from "./base/text/bm25.ts";
export { textOfContent } from "./base/text/content.ts";
export { oneLine } from "./base/text/one-line.ts";
export { sentence } from "./base/text/sentence.ts";
export { visibleLine, visibleText } from "./base/text/visible.ts";
export type { SessionDeps } from "./base/time/deadline.ts";
export { type LimitOverrides, type OutputLimit, outputLimit, type TruncationMode } from "./base/truncate/limits.ts";
export { truncateOutput } from "./base/truncate/truncate.ts";
export { type BranchSummaryOptions, branchSummarizer } from "./context/branches/branch-summary.ts";
export { beganWithBriefing, HANDOFF } from "./context/compaction/briefing.ts";
export { Compaction, type CompactionOptions } from "./context/compaction/compaction.ts";
export {
  HANDOFF_WORDS,
  handoffCall,
  handoffMessage,
  problemWithBriefing,
  wordsToKeep,
} from "./context/compaction/handoff.ts";
export {
  type CompactionSettings,
  type CompactionStrategy,
  DEFAULT_COMPACTION,
  type Room,
  roomIn,
} from "./context/compaction/settings.ts";
export type { Summarizer, SummaryAnswer } from "./context/compaction/summarize.ts";
export type { CompactionTrigger, WantedCompaction } from "./context/compaction/wanted.ts";
export { type AskedGit, askGit, type GitFacts, type GitSnapshot, type HostFacts } from "./context/environment.ts";
export { contextLedger, type LedgerInput } from "./context/ledger/ledger.ts";
export {
  type ContextLedger,
  groupsOf,
  type LedgerGroup,
  type LedgerOwner,
  OWNER_KINDS,
  type OwnerKind,
} from "./context/ledger/types.ts";
export type { PrefixTexts } from "./context/prefix/prefix.ts";
export type { InstructionDoc } from "./context/project-docs.ts";
export type { Found, Recall } from "./context/recall/recall.ts";
export {
  type MoreSurroundings,
  type PromptSection,
  readSurroundings,
  type Surroundings,
} from "./context/surroundings.ts";
export type { MoreLayers } from "./context/system-prompt.ts";
export type { ApprovalAnswer } from "./contract/approval.ts";
export type * from "./contract/card.ts";
export * from "./contract/changes.ts";
export type { CheckpointService } from "./contract/checkpoints.ts";
export type * from "./contract/completion.ts";
export { type AgentEvent, type AssistantMessageEvent, toAgentEvents } from "./contract/events/agent-events.ts";
export * from "./contract/events/types.ts";
export type * from "./contract/irc.ts";
export * from "./contract/journal.ts";
export type { Context, ContextState, JournalReader } from "./contract/journal-reader.ts";
export { CallPaths, type Located } from "./contract/paths/call-paths.ts";
export { near } from "./contract/paths/near.ts";
export type { PendingAction, PendingActionService } from "./contract/pending-actions.ts";
export type { PromptPart } from "./contract/prompt-part.ts";
export { type Answer, type Answerer, type Question, renderQuestions } from "./contract/questions.ts";
export { defineSessionTool, type SessionTool, type SessionToolSpec } from "./contract/registry/host-tool.ts";
export { type RegisteredTool, ToolRegistry } from "./contract/registry/registry.ts";
export type { ToolProvider } from "./contract/registry/session-tools.ts";
export {
  type SchemeContent,
  type SchemeEntry,
  SchemeRegistry,
  type SchemeResolver,
  type WantedPart,
} from "./contract/seams/schemes.ts";
export * from "./contract/seams/types.ts";
export type { SessionFacts } from "./contract/session-state.ts";
export type {
  OuterForm,
  ShellAnalysis,
  ShellAssignment,
  ShellContext,
  ShellDanger,
  ShellPart,
} from "./contract/shell.ts";
export type * from "./contract/subagents.ts";
export * from "./contract/tool.ts";
export { type ConflictRegion, type ConflictSide, hasConflicts } from "./files/edit/conflict-regions.ts";
export { DocumentError, documentText } from "./files/edit/document.ts";
export { fileDiff } from "./files/edit/file-diff.ts";
export { PathLocks } from "./files/edit/locks.ts";
export { ShownFiles, type ShownLimits, type ShownVersion } from "./files/edit/shown.ts";
export { Syntax, type SyntaxBlock, type SyntaxLimits } from "./files/edit/syntax.ts";
export {
  type Conflict,
  type ConflictedFile,
  Conflicts,
  type UnlandedLines,
} from "./files/formats/conflict/conflicts.ts";
export { type LandRequest, land } from "./files/isolate/land.ts";
export { landedOf } from "./files/isolate/landing-journal.ts";
export { type LeftView, leftViews } from "./files/isolate/left-view.ts";
export { continueView, type LeftRequest, openView, readView } from "./files/isolate/open-view.ts";
export { patchOf } from "./files/isolate/patch.ts";
export { type Recovery, recoverStore } from "./files/isolate/recover.ts";
export * from "./files/isolate/types.ts";
export { isSafeId } from "./files/isolate/view-folder.ts";
export { Parser, type ParserJob, type ParserOptions } from "./files/parser/parser.ts";
export type { TaskInput } from "./files/parser/tasks/types.ts";
export type { ImageInspector, ImageOptions } from "./files/read/fit-image.ts";
export { imageType, MOST_IMAGE_BYTES } from "./files/read/images.ts";
export type { OpenedImage, OpenedText } from "./files/read/open.ts";
export type { SearchContext } from "./files/search/content.ts";
export { repositoryOf } from "./files/snapshots/ignore.ts";
export { mayChangeFiles } from "./files/snapshots/may-change.ts";
export { shownPath } from "./files/snapshots/names.ts";
export type { LeftFile, LeftReason } from "./files/snapshots/plan.ts";
export { type SnapshotImage, type SnapshotOptions, Snapshots } from "./files/snapshots/recorder.ts";
export {
  Rewinder,
  type RewindOptions,
  RewindRefused,
  type RewindRequest,
  type RewindResult,
  type RewoundSession,
} from "./files/snapshots/rewind.ts";
export type { SnapshotLimits } from "./files/snapshots/scan.ts";
export type {
  Format,
  FormatContent,
  FormatEntry,
  FormatFile,
  PartCodec,
  ReadRequest,
  RowChange,
  RowWriter,
} from "./files/target/format.ts";
export type { LineRange, Selector } from "./files/target/selector.ts";
export type { FetchLimits } from "./files/web/fetch-page.ts";
export { type CachedPage, PageCache } from "./files/web/page-cache.ts";
export type { SearchHit, SearchProvider, WebServices } from "./files/web/services.ts";
export { itemsOf, type JudgedCall, judge, staysInside, type Verdict } from "./policy/permissions/judge.ts";
export { type Item, matchesItem, type RuleScope } from "./policy/permissions/match.ts";
export { type Decision, EXAMPLE, type Rule, type RuleText, readRule } from "./policy/permissions/rule.ts";
export {
  isCredentialFile,
  isInside,
  isProtected,
  type SensitivePlaces,
  searchesCredentials,
} from "./policy/permissions/sensitive-paths.ts";
export { suggestedRules } from "./policy/permissions/suggest.ts";
export {
  FULL,
  PERMISSION_MODES,
  type PermissionMode,
  type Places,
  type Policy,
  WAYS,
} from "./policy/permissions/verdict.ts";
export { Redactor } from "./policy/redact/redactor.ts";
export { RedactingBytes, RedactingStream } from "./policy/redact/replace.ts";
export type { Secret } from "./policy/redact/secret-values.ts";
export { analyseShell } from "./policy/shell/analyse.ts";
export { copyArtifacts } from "./record/artifacts/copy-artifacts.ts";
export { FileArtifacts } from "./record/artifacts/file-artifacts.ts";
export { type ArtifactStore, MemoryArtifacts } from "./record/artifacts/store.ts";
export { hasBegun } from "./record/journal/begun.ts";
export {
  buildContext,
  type ContextSource,
  ContextView,
  INTERRUPTED_RESULT,
  PRUNED_NOTICE,
  pathTo,
} from "./record/journal/context.ts";
export { modelFor } from "./record/journal/context-state.ts";
export { readLine } from "./record/journal/decode.ts";
export { JournalError, type JournalErrorCode } from "./record/journal/errors.ts";
export { FileStore, type FileStoreOptions } from "./record/journal/file-store.ts";
export { type ForkOptions, forkJournal } from "./record/journal/fork.ts";
export type { NewHeader } from "./record/journal/header.ts";
export { idSource } from "./record/journal/ids.ts";
export { type ImportOptions, importJournal } from "./record/journal/import.ts";
export {
  type DistributiveOmit,
  Journal,
  type JournalDeps,
  type NewEntry,
  type NewIntent,
  type NewLine,
  type SyncMode,
} from "./record/journal/journal.ts";
export { checkLabel, findEntry, type LabelledJournal } from "./record/journal/labels.ts";
export { encodeLine, type LineHead, readLineHead } from "./record/journal/line.ts";
export type { EntryMeta } from "./record/journal/line-index.ts";
export { readHead, type SessionSummary } from "./record/journal/listing.ts";
export { type LockOwner, lockHolder, processStartTime } from "./record/journal/lock.ts";
export { type MoveOptions, moveJournalFile, movingCopy } from "./record/journal/move-file.ts";
export { childJournalFiles, type JournalFileOptions, openJournalFile } from "./record/journal/open-file.ts";
export { sessionFileName, sessionFolderName, sessionPath } from "./record/journal/paths.ts";
export { readLines } from "./record/journal/read-lines.ts";
export { realJournalPath } from "./record/journal/regular-file.ts";
export type { LineSpan } from "./record/journal/span-table.ts";
export { type JournalStore, MemoryStore } from "./record/journal/store.ts";
export { isoTime } from "./record/journal/timestamp.ts";
export {
  type BranchPoint,
  branchPoint,
  isUserMessage,
  type Landing,
  landingOf,
  sessionTree,
  type TreeNode,
  type TreeReader,
  userMessages,
} from "./record/journal/tree.ts";
export type { Beside } from "./session/beside.ts";
export { pastCard } from "./session/call/card.ts";
export type { CompactionOutcome } from "./session/compaction.ts";
export type { ConfigInput, QueueMode, RetryConfig, SessionConfig } from "./session/config.ts";
export {
  type InputSpending,
  type SessionCosts,
  type Spending,
  sessionCosts,
  type ToolSpending,
} from "./session/costs/session-costs.ts";
export { CodingAgent, type CodingAgentOptions } from "./session/headless/coding-agent.ts";
export {
  type CreateSessionOptions,
  createSession,
  type GivenSessionOptions,
} from "./session/headless/create-session.ts";
export type { AgentConfig } from "./session/headless/options.ts";
export type { Delivery, QueuedMessage } from "./session/inbox.ts";
export type { BranchSummarizer, NavigateOptions, Navigation } from "./session/navigation.ts";
export { InputRefused } from "./session/outcome.ts";
export type { InputVerb } from "./session/replay/log.ts";
export { Recorder } from "./session/replay/record.ts";
export { ReplayDivergence, Replayer } from "./session/replay/replay.ts";
export { Session } from "./session/session.ts";
export { type SideCost, sideCost } from "./session/side-call.ts";
export * from "./session/types.ts";
export {
  type RecordedUserCommand,
  USER_COMMAND,
  type UserCommandOptions,
  type UserCommandResult,
  userCommandOf,
} from "./session/user-command.ts";
export { type EditVariant, editVariant } from "./tools/builtin/edit-variant.ts";
export type { PlanMode, PlanVerdict } from "./tools/builtin/exit-plan-mode/index.ts";
export { ircTool } from "./tools/builtin/irc/index.ts";
export type { ReadingOptions } from "./tools/builtin/read/index.ts";
export { RECALL_POINTER } from "./tools/builtin/recall/index.ts";
export { commandAccess } from "./tools/builtin/shell/access.ts";
export { type SshHosts, sshTool } from "./tools/builtin/ssh/index.ts";
export { type TaskToolOptions, taskTool } from "./tools/builtin/task/index.ts";
export type { RecordLimits } from "./tools/builtin/task/records.ts";
export { TODO_FACT } from "./tools/builtin/todo/index.ts";
export {
  applyOps,
  keepOneInProgress,
  renderTodo,
  type TodoList,
  type TodoOp,
  type TodoOutcome,
  type TodoPhase,
  type TodoStatus,
  type TodoTask,
  withoutSettled,
} from "./tools/builtin/todo/list.ts";
export { parseTodoMarkdown, todoMarkdown } from "./tools/builtin/todo/markdown.ts";
export { webFetchTool } from "./tools/builtin/web-fetch/index.ts";
export { webSearchTool } from "./tools/builtin/web-search/index.ts";
export { Checkpoints } from "./tools/checkpoint/checkpoints.ts";
export { type PendingActionParts, PendingActions } from "./tools/pending-actions/pending-actions.ts";
export { defineProfile, type Family, type ProfileOptions } from "./tools/profiles/define.ts";
export type { EditKit } from "./tools/profiles/edit-kits.ts";
export { FAMILIES, type FamilyName, familyOf } from "./tools/profiles/families.ts";
export { knownTool } from "./tools/profiles/known-tools.ts";
export type { Profile } from "./tools/profiles/types.ts";
export {
  type BackgroundRules,
  type Job,
  type JobFollower,
  type JobOptions,
  type JobSpill,
  type JobState,
  Jobs,
  type JobWait,
  jobState,
  jobStatus,
} from "./tools/run/jobs.ts";
export type { BashSettings, LastingShell } from "./tools/run/lasting-shell.ts";
export { plainOutput } from "./tools/run/plain-output.ts";
export { type RunningCommand, RunningCommands } from "./tools/run/running-commands.ts";
export type { RunningTerminal, ScreenSpan, TerminalScreen } from "./tools/run/terminal-screen.ts";
export { CachedScans } from "./world/env/cached-scans.ts";
export { ContainerEnvironment, type ContainerOptions } from "./world/env/container.ts";
export { GuardedEnvironment, type WriteGuard } from "./world/env/guarded.ts";
export { LocalEnvironment, type LocalEnvironmentOptions } from "./world/env/local.ts";
export { MemoryEnvironment, type MemoryEnvironmentOptions } from "./world/env/memory.ts";
export { realEntryOf, realPathOf } from "./world/env/real-path.ts";
export { RemoteEnvironment, type RemoteOptions, type RemoteTransport } from "./world/env/remote.ts";
export { SandboxedLocalEnvironment, type SandboxOptions } from "./world/env/sandbox/sandboxed-local.ts";
export type { ScanLimits } from "./world/env/scan-cache.ts";
export { personalIgnoreFile } from "./world/env/search/global-ignore.ts";
export { locateRipgrep, onPath } from "./world/env/search/locate-ripgrep.ts";
export { compileFilter } from "./world/env/search/path-glob.ts";
export type { SearchEngine } from "./world/env/search/types.ts";
export { quoteShell } from "./world/env/shell-quote.ts";
export { SshEnvironment, type SshOptions } from "./world/env/ssh.ts";
export * from "./world/env/types.ts";
export { type MinimalEnvironment, withFileCommands } from "./world/env/with-file-commands.ts";
export { WrappedEnvironment } from "./world/env/wrapped.ts";
export { type EnvLogEntry, LoggingEnvironment, ReadOnlyEnvironment, ScopedEnvironment } from "./world/env/wrappers.ts";
export { byteLines } from "./world/process/byte-lines.ts";
export type { CaptureRequest } from "./world/process/capture.ts";
export { type Clock, monotonicClock } from "./world/process/clock.ts";
export type { ConfinedStart, Confinement, InsideNames } from "./world/process/confinement.ts";
export type { ResourceLimits } from "./world/process/control-groups.ts";
export {
  commandEnv,
  type EnvPolicy,
  type EnvRules,
  type EnvVars,
  isSecretName,
  withheldNames,
} from "./world/process/env-policy.ts";
export type { GovernorLimits } from "./world/process/governor.ts";
export type { NamespaceSource, Namespaces } from "./world/process/namespaces.ts";
export {
  type OpenedProcess,
  type OpenRequest,
  Processes,
  type ProcessesOptions,
  type RunRequest,
  timeoutNotice,
} from "./world/process/processes.ts";
export type { TerminalRequest } from "./world/process/pty.ts";
export { shellArgv } from "./world/process/shell-argv.ts";
export type { ShellState, ShellVariable } from "./world/process/shell-state.ts";
