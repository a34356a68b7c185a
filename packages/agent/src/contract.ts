// @lathe/agent/contract: types that tools, sessions and hosts share, beyond the main door.

export type { Billed } from "./contract/billed.ts";
export type { Card, CardDiff, CardResult } from "./contract/card.ts";
export type { ContentRef, FileChange } from "./contract/changes.ts";
export type { CheckpointService } from "./contract/checkpoints.ts";
export type { CompletionService, Yielded } from "./contract/completion.ts";
export type { AwaitedInput, MessageSource, PrefixReason } from "./contract/events/types.ts";
export type { IrcMessage, IrcPeer, IrcService, Receipt, Waited } from "./contract/irc.ts";
export * from "./contract/journal.ts";
export type { Context, ContextState, EntryPlace, JournalReader } from "./contract/journal-reader.ts";
export { CallPaths, type Located } from "./contract/paths/call-paths.ts";
export { similarWords } from "./contract/paths/similar-words.ts";
export type { PendingAction, PendingActionService } from "./contract/pending-actions.ts";
export type { PromptPart } from "./contract/prompt-part.ts";
export { renderQuestions } from "./contract/questions.ts";
export type { RegisteredTool } from "./contract/registry/registry.ts";
export * from "./contract/seams/schemes.ts";
export type * from "./contract/seams/types.ts";
export type { SessionFacts } from "./contract/session-state.ts";
export type * from "./contract/shell.ts";
export type * from "./contract/subagents.ts";
export * from "./contract/tool.ts";
export * from "./contract/verification.ts";
