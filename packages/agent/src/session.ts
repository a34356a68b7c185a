// @lathe/agent/session: parts of a session: costs, replay, the user's commands, side calls.

export type { Beside } from "./session/beside.ts";
export { pastCard } from "./session/call/card.ts";
export type { CompactionOutcome } from "./session/compaction.ts";
export * from "./session/costs/session-costs.ts";
export { BROKEN_OFF } from "./session/model-call.ts";
export type { BranchSummarizer } from "./session/navigation.ts";
export { type JudgedOutput, judgeOutput } from "./session/output/output-check.ts";
export { schemaProblem } from "./session/output/schema-problem.ts";
export type { InputVerb, SessionTape } from "./session/replay/log.ts";
export { Recorder } from "./session/replay/record.ts";
export { ReplayDivergence, Replayer } from "./session/replay/replay.ts";
export { type SideCost, sideCost } from "./session/side-call.ts";
export * from "./session/types.ts";
export { type RecordedUserCommand, USER_COMMAND, userCommandOf } from "./session/user-command.ts";
