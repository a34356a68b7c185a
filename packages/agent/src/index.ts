export { copyArtifacts } from "./artifacts/copy-artifacts.ts";
export { FileArtifacts } from "./artifacts/file-artifacts.ts";
export { type ArtifactStore, MemoryArtifacts } from "./artifacts/store.ts";
export { FileBlobs } from "./blobs/file-blobs.ts";
export { type BlobGcOptions, type BlobGcResult, collectBlobs } from "./blobs/gc.ts";
export { type BlobStore, MemoryBlobs } from "./blobs/store.ts";
export { type BranchSummaryOptions, branchSummarizer } from "./branches/branch-summary.ts";
export type { Amounts, BudgetConfig, BudgetDimension } from "./budget/ledger.ts";
export { Checkpoints } from "./checkpoint/checkpoints.ts";
export { beganWithBriefing, HANDOFF } from "./compaction/briefing.ts";
export { Compaction, type CompactionOptions } from "./compaction/compaction.ts";
export { HANDOFF_WORDS, handoffCall, handoffMessage, problemWithBriefing, wordsToKeep } from "./compaction/handoff.ts";
export {
  type CompactionSettings,
  type CompactionStrategy,
  DEFAULT_COMPACTION,
  type Room,
  roomIn,
} from "./compaction/settings.ts";
export type { Summarizer, SummaryAnswer } from "./compaction/summarize.ts";
export type { CompactionTrigger, WantedCompaction } from "./compaction/wanted.ts";
export { type AskedGit, askGit, type GitFacts, type GitSnapshot, type HostFacts } from "./context/environment.ts";
export type { InstructionDoc } from "./context/project-docs.ts";
export {
  type MoreSurroundings,
  type PromptSection,
  readSurroundings,
  type Surroundings,
} from "./context/surroundings.ts";
export type { MoreLayers } from "./context/system-prompt.ts";
export { contextLedger, type LedgerInput } from "./context-ledger/ledger.ts";
export {
  type ContextLedger,
  groupsOf,
  type LedgerGroup,
  type LedgerOwner,
  OWNER_KINDS,
  type OwnerKind,
} from "./context-ledger/types.ts";
export type { ApprovalAnswer } from "./contract/approval.ts";
export type * from "./contract/card.ts";
export * from "./contract/changes.ts";
export type { CheckpointService } from "./contract/checkpoints.ts";
export type * from "./contract/completion.ts";
export type * from "./contract/irc.ts";
export type { PendingAction, PendingActionService } from "./contract/pending-actions.ts";
export type { PromptPart } from "./contract/prompt-part.ts";
export { type Answer, type Answerer, type Question, renderQuestions } from "./contract/questions.ts";
export type { SessionFacts } from "./contract/session-state.ts";
export type * from "./contract/subagents.ts";
export * from "./contract/tool.ts";
export {
  type InputSpending,
  type SessionCosts,
  type Spending,
  sessionCosts,
  type ToolSpending,
} from "./costs/session-costs.ts";
export { type ConflictRegion, type ConflictSide, hasConflicts } from "./edit/conflict-regions.ts";
export { DocumentError, documentText } from "./edit/document.ts";
export { fileDiff } from "./edit/file-diff.ts";
export { PathLocks } from "./edit/locks.ts";
export { ShownFiles, type ShownLimits, type ShownVersion } from "./edit/shown.ts";
export { Syntax, type SyntaxBlock, type SyntaxLimits } from "./edit/syntax.ts";
export { CachedScans } from "./env/cached-scans.ts";
export { ContainerEnvironment, type ContainerOptions } from "./env/container.ts";
export { GuardedEnvironment, type WriteGuard } from "./env/guarded.ts";
export { LocalEnvironment, type LocalEnvironmentOptions } from "./env/local.ts";
export { MemoryEnvironment, type MemoryEnvironmentOptions } from "./env/memory.ts";
export { realEntryOf, realPathOf } from "./env/real-path.ts";
export { RemoteEnvironment, type RemoteOptions, type RemoteTransport } from "./env/remote.ts";
export { SandboxedLocalEnvironment, type SandboxOptions } from "./env/sandbox/sandboxed-local.ts";
export type { ScanLimits } from "./env/scan-cache.ts";
export { personalIgnoreFile } from "./env/search/global-ignore.ts";
export { locateRipgrep, onPath } from "./env/search/locate-ripgrep.ts";
export { compileFilter } from "./env/search/path-glob.ts";
export type { SearchEngine } from "./env/search/types.ts";
export { quoteShell } from "./env/shell-quote.ts";
export { SshEnvironment, type SshOptions } from "./env/ssh.ts";
export * from "./env/types.ts";
export { type MinimalEnvironment, withFileCommands } from "./env/with-file-commands.ts";
export { WrappedEnvironment } from "./env/wrapped.ts";
export { type EnvLogEntry, LoggingEnvironment, ReadOnlyEnvironment, ScopedEnvironment } from "./env/wrappers.ts";
export { type AgentEvent, type AssistantMessageEvent, toAgentEvents } from "./events/agent-events.ts";
export * from "./events/types.ts";
export { CodingAgent, type CodingAgentOptions } from "./headless/coding-agent.ts";
export { type CreateSessionOptions, createSession, type GivenSessionOptions } from "./headless/create-session.ts";
export type { AgentConfig } from "./headless/options.ts";
export type { Exchange, ExchangeParts } from "./irc/exchange.ts";
export type { LogParts } from "./irc/log.ts";
export type { AgentGroup, Mailbox, StoredMessage } from "./irc/types.ts";
export type { Wait } from "./irc/waits.ts";
export { type LandRequest, land } from "./isolate/land.ts";
export { landedOf } from "./isolate/landing-journal.ts";
export { type LeftView, leftViews } from "./isolate/left-view.ts";
export { continueView, type LeftRequest, openView, readView } from "./isolate/open-view.ts";
export { patchOf } from "./isolate/patch.ts";
export { type Recovery, recoverStore } from "./isolate/recover.ts";
export * from "./isolate/types.ts";
export { isSafeId } from "./isolate/view-folder.ts";
export { hasBegun } from "./journal/begun.ts";
export {
  buildContext,
  type Context,
  type ContextSource,
  ContextView,
  INTERRUPTED_RESULT,
  PRUNED_NOTICE,
  pathTo,
} from "./journal/context.ts";
export { type ContextState, modelFor } from "./journal/context-state.ts";
export { readLine } from "./journal/decode.ts";
export { JournalError, type JournalErrorCode } from "./journal/errors.ts";
export { FileStore, type FileStoreOptions } from "./journal/file-store.ts";
export { type ForkOptions, forkJournal } from "./journal/fork.ts";
export type { NewHeader } from "./journal/header.ts";
export { idSource } from "./journal/ids.ts";
export { type ImportOptions, importJournal } from "./journal/import.ts";
export {
  type DistributiveOmit,
  Journal,
  type JournalDeps,
  type NewEntry,
  type NewIntent,
  type NewLine,
  type SyncMode,
} from "./journal/journal.ts";
export { checkLabel, findEntry, type LabelledJournal } from "./journal/labels.ts";
export { encodeLine, type LineHead, readLineHead } from "./journal/line.ts";
export type { EntryMeta } from "./journal/line-index.ts";
export { readHead, type SessionSummary } from "./journal/listing.ts";
export { type LockOwner, lockHolder, processStartTime } from "./journal/lock.ts";
export { type MoveOptions, moveJournalFile, movingCopy } from "./journal/move-file.ts";
export { childJournalFiles, type JournalFileOptions, openJournalFile } from "./journal/open-file.ts";
export { sessionFileName, sessionFolderName, sessionPath } from "./journal/paths.ts";
export { readLines } from "./journal/read-lines.ts";
export { realJournalPath } from "./journal/regular-file.ts";
export type { LineSpan } from "./journal/span-table.ts";
export { type JournalStore, MemoryStore } from "./journal/store.ts";
export { isoTime } from "./journal/timestamp.ts";
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
} from "./journal/tree.ts";
export * from "./journal/types.ts";
export { type Conflict, type ConflictedFile, Conflicts, type UnlandedLines } from "./ops/formats/conflict/conflicts.ts";
export type { ImageInspector, ImageOptions } from "./ops/read/fit-image.ts";
export { imageType, MOST_IMAGE_BYTES } from "./ops/read/images.ts";
export type { OpenedImage, OpenedText } from "./ops/read/open.ts";
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
} from "./ops/run/jobs.ts";
export type { BashSettings, LastingShell } from "./ops/run/lasting-shell.ts";
export { plainOutput } from "./ops/run/plain-output.ts";
export { type RunningCommand, RunningCommands } from "./ops/run/running-commands.ts";
export type { RunningTerminal, ScreenSpan, TerminalScreen } from "./ops/run/terminal-screen.ts";
export type { SearchContext } from "./ops/search/content.ts";
export type { FetchLimits } from "./ops/web/fetch-page.ts";
export { type CachedPage, PageCache } from "./ops/web/page-cache.ts";
export type { SearchHit, SearchProvider, WebServices } from "./ops/web/services.ts";
export { Parser, type ParserJob, type ParserOptions } from "./parser/parser.ts";
export type { TaskInput } from "./parser/tasks/types.ts";
export { CallPaths, type Located } from "./paths/call-paths.ts";
export { near } from "./paths/near.ts";
export { type PendingActionParts, PendingActions } from "./pending-actions/pending-actions.ts";
export { itemsOf, type JudgedCall, judge, staysInside, type Verdict } from "./permissions/judge.ts";
export { type Item, matchesItem, type RuleScope } from "./permissions/match.ts";
export { type Decision, EXAMPLE, type Rule, type RuleText, readRule } from "./permissions/rule.ts";
export {
  isCredentialFile,
  isInside,
  isProtected,
  type SensitivePlaces,
  searchesCredentials,
} from "./permissions/sensitive-paths.ts";
export { suggestedRules } from "./permissions/suggest.ts";
export { FULL, PERMISSION_MODES, type PermissionMode, type Places, type Policy, WAYS } from "./permissions/verdict.ts";
export type { PrefixTexts } from "./prefix/prefix.ts";
export { byteLines } from "./process/byte-lines.ts";
export type { CaptureRequest } from "./process/capture.ts";
export { type Clock, monotonicClock } from "./process/clock.ts";
export type { ConfinedStart, Confinement, InsideNames } from "./process/confinement.ts";
export type { ResourceLimits } from "./process/control-groups.ts";
export {
  commandEnv,
  type EnvPolicy,
  type EnvRules,
  type EnvVars,
  isSecretName,
  withheldNames,
} from "./process/env-policy.ts";
export type { GovernorLimits } from "./process/governor.ts";
export type { NamespaceSource, Namespaces } from "./process/namespaces.ts";
export {
  type OpenedProcess,
  type OpenRequest,
  Processes,
  type ProcessesOptions,
  type RunRequest,
  timeoutNotice,
} from "./process/processes.ts";
export type { TerminalRequest } from "./process/pty.ts";
export { shellArgv } from "./process/shell-argv.ts";
export type { ShellState, ShellVariable } from "./process/shell-state.ts";
export { defineProfile, type Family, type ProfileOptions } from "./profiles/define.ts";
export type { EditKit } from "./profiles/edit-kits.ts";
export { FAMILIES, type FamilyName, familyOf } from "./profiles/families.ts";
export { knownTool } from "./profiles/known-tools.ts";
export type { Profile } from "./profiles/types.ts";
export type { Found, Recall } from "./recall/recall.ts";
export { Redactor } from "./redact/redactor.ts";
export { RedactingBytes, RedactingStream } from "./redact/replace.ts";
export type { Secret } from "./redact/secret-values.ts";
export { defineSessionTool, type SessionTool, type SessionToolSpec } from "./registry/host-tool.ts";
export { type RegisteredTool, ToolRegistry } from "./registry/registry.ts";
export type { ToolProvider } from "./registry/session-tools.ts";
export type { InputVerb } from "./replay/log.ts";
export { Recorder } from "./replay/record.ts";
export { ReplayDivergence, Replayer } from "./replay/replay.ts";
export {
  type SchemeContent,
  type SchemeEntry,
  SchemeRegistry,
  type SchemeResolver,
  type WantedPart,
} from "./seams/schemes.ts";
export * from "./seams/types.ts";
export type { Beside } from "./session/beside.ts";
export { pastCard } from "./session/call/card.ts";
export type { CompactionOutcome } from "./session/compaction.ts";
export type { ConfigInput, QueueMode, RetryConfig, SessionConfig } from "./session/config.ts";
export type { Delivery, QueuedMessage } from "./session/inbox.ts";
export type { BranchSummarizer, NavigateOptions, Navigation } from "./session/navigation.ts";
export { InputRefused } from "./session/outcome.ts";
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
export { analyseShell } from "./shell/analyse.ts";
export type {
  OuterForm,
  ShellAnalysis,
  ShellAssignment,
  ShellContext,
  ShellDanger,
  ShellPart,
} from "./shell/types.ts";
export { repositoryOf } from "./snapshots/ignore.ts";
export { mayChangeFiles } from "./snapshots/may-change.ts";
export { shownPath } from "./snapshots/names.ts";
export type { LeftFile, LeftReason } from "./snapshots/plan.ts";
export { type SnapshotImage, type SnapshotOptions, Snapshots } from "./snapshots/recorder.ts";
export {
  Rewinder,
  type RewindOptions,
  RewindRefused,
  type RewindRequest,
  type RewindResult,
  type RewoundSession,
} from "./snapshots/rewind.ts";
export type { SnapshotLimits } from "./snapshots/scan.ts";
export { type ChildStores, forkChildren } from "./subagents/fork-children.ts";
export { type PastAgent, pastAgents } from "./subagents/past-agents.ts";
export { startedAgent } from "./subagents/records.ts";
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
} from "./subagents/types.ts";
export type {
  Format,
  FormatContent,
  FormatEntry,
  FormatFile,
  PartCodec,
  ReadRequest,
  RowChange,
  RowWriter,
} from "./target/format.ts";
export type { LineRange, Selector } from "./target/selector.ts";
export { sentence } from "./text/sentence.ts";
export { visibleLine, visibleText } from "./text/visible.ts";
export type { SessionDeps } from "./time/deadline.ts";
export { type EditVariant, editVariant } from "./tools/edit-variant.ts";
export type { PlanMode, PlanVerdict } from "./tools/exit-plan-mode/index.ts";
export { ircTool } from "./tools/irc/index.ts";
export type { ReadingOptions } from "./tools/read/index.ts";
export { RECALL_POINTER } from "./tools/recall/index.ts";
export { commandAccess } from "./tools/shell/access.ts";
export { type SshHosts, sshTool } from "./tools/ssh/index.ts";
export { type TaskToolOptions, taskTool } from "./tools/task/index.ts";
export type { RecordLimits } from "./tools/task/records.ts";
export { TODO_FACT } from "./tools/todo/index.ts";
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
} from "./tools/todo/list.ts";
export { parseTodoMarkdown, todoMarkdown } from "./tools/todo/markdown.ts";
export { webFetchTool } from "./tools/web-fetch/index.ts";
export { webSearchTool } from "./tools/web-search/index.ts";
export { type LimitOverrides, type OutputLimit, outputLimit, type TruncationMode } from "./truncate/limits.ts";
export { truncateOutput } from "./truncate/truncate.ts";
