// @lathe/agent: what a host program needs. docs/library.md lists these names by group; everything else is behind a
// subpath.

export type { Spent } from "./agents/subagents/records.ts";
export type { AgentEngine, AgentLimits, AgentType, EnginePlace, SubagentOptions } from "./agents/subagents/types.ts";
export { FileBlobs } from "./base/blobs/file-blobs.ts";
export { type BlobStore, MemoryBlobs } from "./base/blobs/store.ts";
export type { BudgetConfig, RequestAmounts } from "./base/budget/ledger.ts";
export type { SessionDeps } from "./base/time/deadline.ts";
export { Compaction, type CompactionOptions } from "./context/compaction/compaction.ts";
export { type CompactionSettings, type CompactionStrategy, DEFAULT_COMPACTION } from "./context/compaction/settings.ts";
export type { ApprovalAnswer } from "./contract/approval.ts";
export type { Card, CardBody, CardLine } from "./contract/card.ts";
export { type AgentEvent, type AssistantMessageEvent, toAgentEvents } from "./contract/events/agent-events.ts";
export type {
  EndReason,
  EventData,
  EventEnvelope,
  EventKind,
  FailureKind,
  InputContent,
  InputError,
  InputOutcome,
  InputPart,
  SessionEvent,
  SessionEvents,
  SessionState,
  Snapshot,
} from "./contract/events/types.ts";
export type { Answer, Answerer, Question } from "./contract/questions.ts";
export { defineSessionTool, type SessionTool, type SessionToolSpec } from "./contract/registry/host-tool.ts";
export { ToolRegistry } from "./contract/registry/registry.ts";
export type { ToolProvider } from "./contract/registry/session-tools.ts";
export type {
  ApprovalVerdict,
  CallInfo,
  CallVerdict,
  CompactVerdict,
  FailureVerdict,
  InputVerdict,
  Middleware,
  OverflowVerdict,
  ProposedCall,
  ReadVerdict,
  RequestInfo,
  RequestVerdict,
  RoundVerdict,
  SeamContext,
  StopVerdict,
  StreamVerdict,
  UnreadableCall,
} from "./contract/seams/types.ts";
export { SessionError, type SessionErrorCode } from "./contract/session-error.ts";
export type { SubagentService } from "./contract/subagents.ts";
export {
  type Access,
  type Preview,
  type PreviewLine,
  type Tier,
  type ToolContent,
  type ToolContext,
  type ToolDef,
  ToolFailure,
  type ToolResult,
  type ToolServices,
} from "./contract/tool.ts";
export { FileArtifacts } from "./record/artifacts/file-artifacts.ts";
export { type ArtifactStore, MemoryArtifacts } from "./record/artifacts/store.ts";
export { JournalError, type JournalErrorCode } from "./record/journal/errors.ts";
export { FileStore } from "./record/journal/file-store.ts";
export { type ForkOptions, forkJournal } from "./record/journal/fork.ts";
export { Journal } from "./record/journal/journal.ts";
export type { JournalDeps } from "./record/journal/new-lines.ts";
export { childJournalFiles, type JournalFileOptions, openJournalFile } from "./record/journal/open-file.ts";
export { type JournalStore, MemoryStore } from "./record/journal/store.ts";
export type { ConfigInput, QueueMode, RetryConfig, SessionConfig } from "./session/config.ts";
export { CodingAgent, type CodingAgentOptions } from "./session/headless/coding-agent.ts";
export {
  type CreateSessionOptions,
  createSession,
  type GivenSessionOptions,
} from "./session/headless/create-session.ts";
export type { AgentConfig } from "./session/headless/options.ts";
export type { Delivery, QueuedMessage } from "./session/inbox.ts";
export type { NavigateOptions, Navigation } from "./session/navigation.ts";
export { InputRefused } from "./session/outcome.ts";
export { Session } from "./session/session.ts";
export type { ModelClient, SessionOptions, SubmitOptions, Turn } from "./session/types.ts";
export type { UserCommandOptions, UserCommandResult } from "./session/user-command.ts";
export { ircTool } from "./tools/builtin/irc/index.ts";
export { type TaskToolOptions, taskTool } from "./tools/builtin/task/index.ts";
export { defineProfile, type Family, type ProfileOptions } from "./tools/profiles/define.ts";
export { FAMILIES, type FamilyName, familyOf } from "./tools/profiles/families.ts";
export type { Profile } from "./tools/profiles/types.ts";
export { LocalEnvironment, type LocalEnvironmentOptions } from "./world/env/local.ts";
export { MemoryEnvironment, type MemoryEnvironmentOptions } from "./world/env/memory.ts";
export {
  EnvError,
  type EnvErrorCode,
  type ExecOptions,
  type ExecResult,
  type ExecutionEnvironment,
} from "./world/env/types.ts";
export { LoggingEnvironment, ReadOnlyEnvironment, ScopedEnvironment } from "./world/env/wrappers.ts";
