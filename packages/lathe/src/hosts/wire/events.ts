// The events of JSON and RPC mode: the agent's vocabulary, and Lathe's own events under `lathe:`. An update carries
// only its delta, because sending the whole message each time would make long answers quadratic.

import {
  anyObject,
  anything,
  choice,
  exactly,
  type Fields,
  flag,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  orNull,
  type Schema,
  type StaticFields,
  text,
} from "@lathe/llm/schema";
import { workflowGate } from "../../conversation/gates/gate.ts";
import { agentRow } from "./agent-row.ts";
import { fileChange, wireCard } from "./card.ts";
import { wireMessage } from "./message.ts";
import { settledFields } from "./worktree.ts";

const delta = oneOf(
  object({ type: exactly("text_delta"), delta: text() }),
  object({ type: exactly("thinking_delta"), delta: text() }),
  object({ type: exactly("toolcall_delta"), toolCallId: text(), toolName: text(), delta: text() }),
);

const approval = {
  toolCallId: text(),
  toolName: text(),
  args: anyObject(),
  reason: optional(text()),
  nestedIn: optional(text()),
};

const EVENT_FIELDS = {
  agent_start: {},
  /** `verification` is set in a session with checks. */
  agent_end: {
    messages: listOf(wireMessage),
    reason: text(),
    verification: optional(choice(["verified", "failed", "unverified", "none"])),
    verificationReasons: optional(listOf(text())),
    error: optional(text()),
  },
  turn_start: {},
  turn_end: { message: optional(wireMessage), toolResults: listOf(wireMessage) },
  /**
   * `entryId` is the message's entry in the session; for an answer only the end has it. A reported message comes again
   * if its input continues in another process.
   */
  message_start: { message: wireMessage, entryId: optional(text()) },
  message_update: { assistantMessageEvent: delta },
  /** `discarded`: the attempt failed and is repeated, so forget the message. */
  message_end: { message: wireMessage, discarded: optional(exactly(true)), entryId: optional(text()) },
  /** `nestedIn` is the call that makes this one; results of nested calls are not messages. */
  tool_execution_start: {
    toolCallId: text(),
    toolName: text(),
    args: anyObject(),
    card: wireCard,
    nestedIn: optional(text()),
  },
  tool_execution_update: { toolCallId: text(), delta: text(), stream: choice(["stdout", "stderr"]) },
  tool_execution_end: {
    toolCallId: text(),
    toolName: text(),
    result: object({ output: text(), details: optional(anything()) }),
    isError: flag(),
    card: wireCard,
    /** The entry of the result, for `get_entries`; absent if the session ended before the call did. */
    entryId: optional(text()),
    changes: optional(listOf(fileChange)),
    nestedIn: optional(text()),
  },
  auto_retry_start: { attempt: integer(), delayMs: integer(), errorMessage: text() },
  auto_retry_end: { success: flag() },
  /** The model began to break these rules and was given their text. */
  ttsr_triggered: { rules: listOf(text()) },
  auto_compaction_start: { reason: text() },
  auto_compaction_end: { error: optional(text()) },
  "lathe:warning": { message: text(), code: text() },
  "lathe:error": { message: text(), kind: text(), errorType: text(), fatal: flag() },
  "lathe:prefix_changed": { reason: text(), tokensLost: integer() },
  "lathe:approval_request": approval,
  "lathe:approval_settled": {
    toolCallId: text(),
    decision: choice(["allow", "deny"]),
    by: text(),
    reason: optional(text()),
  },
  /** Finished tasks have left the todo list; `get_state` returns the new list. */
  todo_auto_clear: {},
  /** The last change of the todo list had failed; the model was told with this input. */
  todo_reminder: {},
  "lathe:queue_changed": {
    queue: choice(["steering", "follow_up"]),
    id: text(),
    change: choice(["added", "edited", "cancelled"]),
    source: optional(
      object({
        kind: choice(["user", "agent", "job", "host"]),
        id: optional(text()),
        type: optional(choice(["irc:incoming"])),
        messageId: optional(text()),
        replyTo: optional(text()),
      }),
    ),
  },
  /** The workflow of the session has changed its state. */
  "lathe:workflow": { workflow: text(), state: text() },
  /** A workflow waits for an answer; in RPC mode the gate also comes as its own frame. */
  "lathe:gate": { gate: workflowGate },
  "lathe:gate_settled": { gate_id: text(), status: choice(["accepted", "withdrawn"]), by: text() },
  "lathe:limit": { kind: choice(["rounds", "turns"]), reached: integer() },
  "lathe:loop_detected": { message: text() },
  /** The conversation continues from another entry of the tree. */
  "lathe:tree_moved": {
    oldLeafId: orNull(text()),
    newLeafId: orNull(text()),
    summaryEntryId: optional(text()),
    fromExtension: flag(),
  },
  /** An event of an agent, in the same vocabulary but without deltas: `task:subagent:progress` shows what it writes. */
  "task:subagent:event": { agentId: text(), event: anyObject() },
  /** An agent, possibly of another agent, has begun, ended or been parked. */
  "task:subagent:lifecycle": { agent: agentRow },
  /** An agent's activity has changed; sent at most once in 150 ms per agent. */
  "task:subagent:progress": { agent: agentRow },
  /** The changes in the view of the run were applied, kept or discarded, or that failed. RPC only. */
  "lathe:worktree": settledFields,
  /** An unattended session has reached a limit of its declaration. Commands that need no model still work. */
  "lathe:unattended_stop": {
    code: exactly("budget_exhausted"),
    dimension: choice(["tokens", "calls", "usd", "wall_time"]),
    message: text(),
  },
} as const satisfies Record<string, Fields>;

/** The types of events. */
export type WireEventType = keyof typeof EVENT_FIELDS;

type EventShapes = {
  readonly [T in WireEventType]: Schema<{ readonly type: T } & StaticFields<(typeof EVENT_FIELDS)[T]>>;
};

/** One definition per type of event. */
export const EVENTS = Object.fromEntries(
  Object.entries(EVENT_FIELDS).map(([type, fields]) => [type, object({ type: exactly(type), ...fields })]),
) as unknown as EventShapes;

/** An event of one type. */
export type WireEventOf<T extends WireEventType> = { readonly type: T } & StaticFields<(typeof EVENT_FIELDS)[T]>;
/** An event of the agent, as JSON and RPC mode write it. */
export type WireEvent = { [T in WireEventType]: WireEventOf<T> }[WireEventType];
