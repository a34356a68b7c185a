// Everything a host can see of a session, as one closed union. The grammar is in the comment of `SessionEvent`, where
// hosts find it; our tests parse it from there.

import type {
  AudioPart,
  DocumentPart,
  ErrorKind,
  ImagePart,
  JsonObject,
  JsonValue,
  Message,
  TextPart,
  Usage,
} from "@lathe/llm";
import type { Card } from "../card.ts";
import type { FileChange } from "../changes.ts";
import type { AgentOverview } from "../subagents.ts";
import type { Access, Effects, FromWeb, PreviewLine, Tier } from "../tool.ts";
import type { Verification } from "../verification.ts";

/** What a session is doing; it accepts input only when idle or awaiting input. */
export type SessionState = "idle" | "processing" | "awaiting_input" | "closed";

/** Why an input ended. */
export type EndReason =
  | "completed"
  | "round_limit"
  | "turn_limit"
  | "budget"
  | "interrupted"
  | "context_overflow"
  | "error"
  | "aborted";

/** The question to the user that an input ended with. */
export interface AwaitedInput {
  readonly what: "question" | "plan";
  readonly text: string;
}

/**
 * How an input ended. Usage and cost include its follow-ups; everything else describes the last one. Usage is in counts
 * that are comparable across vendors (`comparableUsage`).
 */
export interface InputOutcome<Output = unknown> {
  readonly reason: EndReason;
  /** The text of the last answer; "" if there was none. */
  readonly text: string;
  /**
   * The value of the last answer, if a schema was given (`outputSchema`) and the answer fits it; `text` is then its
   * JSON.
   */
  readonly output?: Output;
  /** Why the last answer ended; "" if there was none. */
  readonly finish: string;
  readonly rounds: number;
  readonly usage: Usage;
  /** US dollars. */
  readonly cost: number;
  readonly awaiting?: AwaitedInput;
  /** Whether checks have proven the work; absent if the session has no checks. */
  readonly verification?: Verification;
  readonly error?: InputError;
}

/**
 * What can be done about a failure: the error kind of the model client, `storage` if the journal or the disk failed,
 * `repetition` if the model made the same call again and again with the same result, or `output` if its answers did not
 * fit the output schema.
 */
export type FailureKind = ErrorKind | "storage" | "repetition" | "output";

/** What went wrong when an input ended with an error. */
export interface InputError {
  readonly message: string;
  /** The kind that hosts base decisions on. */
  readonly kind: FailureKind;
  /** Name of the error's class. */
  readonly type: string;
}

/** Why the beginning of the next request differs from the last one, so that the provider's cache misses. */
export type PrefixReason = "model" | "effort" | "tools" | "compaction" | "prune" | "branch" | "instructions";

/** What each kind of event carries. Names are in snake_case, as they go over the wire. */
export interface EventData {
  /** The first event of a session; `resumed`: the session continues an earlier one. */
  session_start: { profile: string; model: string; cwd: string; resumed: boolean };
  /** The last event of a session. */
  session_end: { state: "closed"; reason: "closed" | "aborted" | "error"; error?: string };
  /** What the session is doing now, for a status line. */
  state_changed: { from: SessionState; to: SessionState };
  /** An input begins. */
  user_input: {
    content: string;
    images: number;
    entry_id: string;
    origin: "input" | "follow_up" | "continue";
    message: Message;
    /** Absent for the user. */
    source?: MessageSource;
  };
  /** The input has ended; `reason` says how. The session accepts the next one. */
  processing_end: {
    reason: EndReason;
    rounds: number;
    /** Usage of this input and its children, in comparable counts. */
    usage: Usage;
    /** US dollars. */
    cost: number;
    followups_pending: number;
    /** The input ended with a question to the user. */
    awaiting?: AwaitedInput;
    /** Whether checks have proven the work; absent if the session has no checks. */
    verification?: Verification;
    error?: InputError;
  };
  /** A request to the model begins, including its retries and the calls it leads to. */
  turn_start: { turn: number };
  /** The answer has arrived and its calls have ended. */
  turn_end: { turn: number; outcome: "answered" | "failed" | "interrupted" };
  /** The answer begins to stream in. */
  assistant_text_start: Record<string, never>;
  /** The next piece of the text. */
  assistant_text_delta: { delta: string };
  /** The next piece of the model's thinking. */
  assistant_reasoning_delta: { delta: string };
  /** The next piece of the arguments of a call that the model is writing. */
  tool_call_args_delta: { call_id: string; tool_name: string; delta: string };
  /** The whole answer; `finish` is the reason why the model stopped. */
  assistant_text_end: {
    text: string;
    reasoning: string;
    /** Absent if no part of the answer was kept. */
    entry_id?: string;
    message?: Message;
    finish: string;
    /** US dollars; absent if the cost is unknown. */
    cost?: number;
    interrupted?: boolean;
  };
  /**
   * A call begins. `label`, `summary` and `card` are for display; `arguments` come from the model and may be invalid.
   */
  tool_call_start: {
    call_id: string;
    /** The call that made this one; absent for a call of the model. */
    nested_in?: string;
    tool_name: string;
    label: string;
    summary: string;
    card: Card;
    arguments: JsonObject;
  };
  /** Output of a call that is running. */
  tool_call_output_delta: { call_id: string; delta: string; stream: "stdout" | "stderr" };
  /** The result of a call; `error` says what failed, `changes` which files it changed. */
  tool_call_end: {
    call_id: string;
    nested_in?: string;
    tool_name: string;
    /** At most 1 MiB; the artifact holds the rest. */
    output?: string;
    error?: string;
    is_error: boolean;
    duration_ms: number;
    entry_id: string;
    /** The message that the model gets. For a nested call, it is not a message of the conversation. */
    message: Message;
    summary: string;
    card: Card;
    details?: JsonValue;
    /** Files that the call changed. */
    changes?: readonly FileChange[];
    /** The output is text from the web; `links`: the addresses that now count as shown. */
    from_web?: FromWeb;
    effects?: Effects;
    artifact?: { id: number; bytes: number };
  };
  /** The call waits for `answerApproval`. */
  approval_request: {
    call_id: string;
    nested_in?: string;
    tool_name: string;
    label: string;
    summary: string;
    /** The arguments with which the call would run. */
    arguments: JsonObject;
    tier: Tier;
    /** What the call would touch; absent if the tool does not declare it. */
    access?: readonly Access[];
    /** Everything that the call would do, safe to print on a terminal. */
    preview: readonly PreviewLine[];
    reason?: string;
    /** Names of the middleware that asked for approval. */
    asked_by: readonly string[];
  };
  /** The call proceeds or is denied; `by` says who decided. */
  approval_settled: { call_id: string; decision: "allow" | "deny"; by: string; reason?: string };
  /** A steering message was sent to the model. */
  steering_injected: { content: string; entry_id: string; message: Message; source?: MessageSource };
  /** A queued message was added, edited or cancelled. */
  queue_changed: {
    queue: "steering" | "follow_up";
    id: string;
    change: "added" | "edited" | "cancelled";
    /** Absent for the user. */
    source?: MessageSource;
  };
  /** The limit of rounds or turns was reached; the input ends. */
  turn_limit: { round: number } | { total_turns: number };
  /** The model is repeating itself and was told so. */
  loop_detection: { message: string };
  /** The model began to break these rules and was sent their text. */
  ttsr_triggered: { rules: readonly string[]; entry_id: string };
  /** Something the user should know; the session continues. */
  warning: { message: string; code: string };
  /** A failure; `kind` says what can be done about it. `fatal`: the session takes no more input. */
  error: { message: string; kind: FailureKind; error_type: string; fatal: boolean; code?: string };
  /** A model call failed and will be retried; `discards`: drop what was streamed since `assistant_text_start`. */
  retry: {
    attempt: number;
    delay_ms: number;
    discards: boolean;
    kind: FailureKind;
    error_type: string;
    message: string;
  };
  /** The next request begins differently from the last, so the provider's cache does not help. */
  prefix_changed: { reason: PrefixReason; tokensLost: number };
  /** A compaction of the context begins. */
  compaction_start: { reason: string; tokens_before: number };
  /** `details`: what was summarized and what was kept verbatim. `pruned`: the number of results that were emptied. */
  compaction_end: {
    entry_id?: string;
    error?: string;
    tokens_after?: number;
    pruned?: number;
    details?: JsonObject;
  };
  /** The conversation continues from another entry of the tree. */
  tree_moved: {
    old_leaf_id: string | null;
    new_leaf_id: string | null;
    summary_entry_id?: string;
    /** A hook supplied the summary. */
    from_extension: boolean;
  };
  /** The host or the user changed state that a tool keeps between calls, such as the todo list. */
  fact_changed: { kind: string; value: JsonValue };
  /** An entry was written to the journal. */
  entry: { id: string; type: string };
  /** An event of a child agent. */
  subagent_event: { agent_id: string; event: SessionEvent };
  /** A child agent, at any depth, has started, ended or been parked. Only the session itself emits this event. */
  agent_lifecycle: { agent: AgentOverview };
  /** The activity of a child agent has changed; at most one event per agent in 150 ms. */
  agent_progress: { agent: AgentOverview };
  /** The state of the session, for a reader that joins late. */
  snapshot: Snapshot;
}

/** What a reader needs to draw a session it did not follow from the start; completed entries are in the journal. */
export interface Snapshot {
  state: SessionState;
  model: string;
  /** The last completed entry. */
  leaf_id: string | null;
  input?: { entry_id: string; content: string };
  turn?: number;
  /** The answer being streamed. */
  text?: string;
  reasoning?: string;
  calls: { call_id: string; nested_in?: string; tool_name: string; arguments: JsonObject; output: string }[];
}

/** The kinds of events. */
export type EventKind = keyof EventData;

/** An event of one kind. */
export interface EventEnvelope<K extends EventKind> {
  readonly kind: K;
  /** Counts up from 1 in each session without gaps; a merged delta carries the number of its last part. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly session_id: string;
  /** Set on events of a child agent. */
  readonly agent_id?: string;
  readonly data: EventData[K];
}

/**
 * Everything that happens in a session, in order. Which events can follow which (`,` then, `|` or, `[ ]` perhaps, `{ }` any
 * number of times):
 *
 * ```ebnf
 * session    = session_start , { input | aside } , session_end ;
 * input      = user_input , { user_input | aside } , { turn | aside } , processing_end ;
 * turn       = turn_start , { attempt | retry | aside } , [ answer ] , { call | aside } , turn_end ;
 * attempt    = assistant_text_start , { delta | note } , retry! ;
 * answer     = [ assistant_text_start , { delta | note } ] , assistant_text_end ;
 * delta      = assistant_text_delta | assistant_reasoning_delta | tool_call_args_delta ;
 * call       = tool_call_start , { approval | tool_call_output_delta } , tool_call_end ;
 * approval   = approval_request , approval_settled ;
 * aside      = note | compaction ;
 * compaction = compaction_start , { note } , compaction_end ;
 * note       = entry | warning | error | state_changed | steering_injected | queue_changed | turn_limit | loop_detection
 *            | ttsr_triggered | prefix_changed | tree_moved | fact_changed | subagent_event
 *            | agent_lifecycle | agent_progress ;
 * ```
 *
 * - Every start has its end, whatever happens. Calls of one turn may interleave; `call_id` tells them apart, and notes
 *   may come between the events of a call. A call that another call makes has `nested_in`, and ends before that one does.
 *   An input has several `user_input` if it begins with several queued messages.
 * - `retry!` is a `retry` with `discards: true`: forget what was streamed since `assistant_text_start`. A `retry` with
 *   `discards: false` means that the attempt failed before anything was streamed.
 * - After an error that is not retried, open calls and the turn end (`turn_end` with `failed`; there may be no answer).
 *   Then comes `processing_end` with the reason `error`, and the session takes the next input. An `error` event by
 *   itself ends nothing.
 * - After `interrupt()`, calls, turn and input end in the same way, with the reason `interrupted`. After `abort()` or
 *   `close()` the reason is `aborted`, and `session_end` follows.
 * - `session_end` with the reason `error` (the journal cannot be written) may come anywhere and ends everything that was
 *   open. Nothing follows `session_end`.
 * - A reader that starts after the first input gets a `snapshot` first, in place of what it missed.
 * - Events of a child agent come inside `subagent_event`; those of one child follow the same grammar.
 */
export type SessionEvent = { [K in EventKind]: EventEnvelope<K> }[EventKind];

/** A session's events for one reader. */
export interface SessionEvents extends AsyncIterable<SessionEvent>, AsyncIterator<SessionEvent> {
  /** Returns the next event if one is queued, so that a fast reader needs no promise per event. */
  takeQueued(): SessionEvent | undefined;
}

/** The sender of a message that reaches a session while it works. */
export interface MessageSource {
  readonly kind: "user" | "agent" | "job" | "host";
  /** Which sender of that kind, if there can be several. */
  readonly id?: string;
  /** Absent for the result of an agent's work or the end of a job. */
  readonly type?: "irc:incoming";
  /** The id that the sender gave the message. */
  readonly messageId?: string;
  /** The message that this one answers. */
  readonly replyTo?: string;
}

/** A part of a message of the user. */
export type InputPart = TextPart | ImagePart | AudioPart | DocumentPart;

/** Content from a host: text, or parts if there are images. */
export type InputContent = string | readonly InputPart[];
