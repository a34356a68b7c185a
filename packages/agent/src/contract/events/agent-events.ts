// The event vocabulary of headless hosts (print, JSON, RPC). It is a pure fold over SessionEvents, with one mapper per
// reader. Brackets nest: agent > turn > message | tool_execution.

import { type JsonObject, type JsonValue, Message } from "@lathe/llm";
import type { Card } from "../card.ts";
import type { FileChange } from "../changes.ts";
import type { WorkVerdict } from "../verification.ts";
import type { SessionEvent } from "./types.ts";

/** An update of the answer that is being streamed. */
export type AssistantMessageEvent =
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "thinking_delta"; readonly delta: string }
  | { readonly type: "toolcall_delta"; readonly toolCallId: string; readonly toolName: string; readonly delta: string };

/** An event in the smaller vocabulary of headless hosts. Brackets nest: agent, turn, then message or tool execution. */
export type AgentEvent =
  | { readonly type: "agent_start" }
  | {
      readonly type: "agent_end";
      readonly messages: readonly Message[];
      readonly reason: string;
      /** Whether checks have proven the work, and if not, why; absent if the session has no checks. */
      readonly verification?: WorkVerdict;
      readonly verificationReasons?: readonly string[];
      /** Why the prompt failed. */
      readonly error?: string;
    }
  | { readonly type: "turn_start" }
  | { readonly type: "turn_end"; readonly message: Message | undefined; readonly toolResults: readonly Message[] }
  /** `entryId`: the message's journal entry. For an answer, only the end event has it. */
  | { readonly type: "message_start"; readonly message: Message; readonly entryId?: string }
  | {
      readonly type: "message_update";
      readonly assistantMessageEvent: AssistantMessageEvent;
      /** The message so far. */
      readonly message: Message;
    }
  /** `discarded`: the attempt failed and will be repeated; drop the message. */
  | {
      readonly type: "message_end";
      readonly message: Message;
      readonly discarded?: true;
      readonly entryId?: string;
    }
  | {
      readonly type: "tool_execution_start";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: JsonObject;
      /** How to show the call; the card of the end event replaces this one. */
      readonly card: Card;
      /** The call that made this one; results of nested calls are not messages. */
      readonly nestedIn?: string;
    }
  | {
      readonly type: "tool_execution_update";
      readonly toolCallId: string;
      readonly delta: string;
      readonly stream: "stdout" | "stderr";
    }
  | {
      readonly type: "tool_execution_end";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: { readonly output: string; readonly details?: JsonValue };
      readonly isError: boolean;
      readonly card: Card;
      /** The journal entry of the result; absent if the session ended before the call did. */
      readonly entryId?: string;
      /** Files that the call changed. */
      readonly changes?: readonly FileChange[];
      readonly nestedIn?: string;
    }
  | {
      readonly type: "auto_retry_start";
      readonly attempt: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  | { readonly type: "auto_retry_end"; readonly success: boolean }
  /** The model began to break these rules and was sent their text. */
  | { readonly type: "ttsr_triggered"; readonly rules: readonly string[] }
  | { readonly type: "auto_compaction_start"; readonly reason: string }
  | { readonly type: "auto_compaction_end"; readonly error?: string };

interface Fold {
  /** The messages of the running input. */
  messages: Message[];
  answer: Message | undefined;
  results: Message[];
  /** The answer that is being streamed. */
  text: string;
  thinking: string;
  streaming: boolean;
  retrying: boolean;
  inTurn: boolean;
  /** Running calls by id. */
  readonly calls: Map<string, { readonly toolName: string; readonly card: Card }>;
}

/** Creates a mapper; feed it every event of one session in order. It skips events of children. */
export function toAgentEvents(): (event: SessionEvent) => readonly AgentEvent[] {
  const fold: Fold = {
    messages: [],
    answer: undefined,
    results: [],
    text: "",
    thinking: "",
    streaming: false,
    retrying: false,
    inTurn: false,
    calls: new Map(),
  };
  return (event) => mapEvent(fold, event);
}

const NOTHING: readonly AgentEvent[] = [];

function mapEvent(fold: Fold, event: SessionEvent): readonly AgentEvent[] {
  switch (event.kind) {
    case "user_input": {
      const started: AgentEvent[] = fold.messages.length === 0 ? [{ type: "agent_start" }] : [];
      return [...started, ...whole(fold, event.data.message, event.data.entry_id)];
    }
    case "steering_injected":
      return whole(fold, event.data.message, event.data.entry_id);
    case "processing_end": {
      const { messages } = fold;
      const { verification: proof } = event.data;
      fold.messages = [];
      return [
        {
          type: "agent_end",
          messages,
          reason: event.data.reason,
          ...(proof === undefined ? {} : { verification: proof.verdict, verificationReasons: proof.reasons }),
          ...(event.data.error === undefined ? {} : { error: event.data.error.message }),
        },
      ];
    }
    case "session_end":
      return closingEvents(fold, event.data.reason);
    case "turn_start":
      fold.answer = undefined;
      fold.results = [];
      fold.inTurn = true;
      return [{ type: "turn_start" }];
    case "turn_end": {
      const ended: AgentEvent[] = fold.retrying ? [{ type: "auto_retry_end", success: false }] : [];
      fold.retrying = false;
      fold.inTurn = false;
      return [...ended, { type: "turn_end", message: fold.answer, toolResults: fold.results }];
    }
    case "compaction_start":
      return [{ type: "auto_compaction_start", reason: event.data.reason }];
    case "compaction_end": {
      const { error } = event.data;
      return [{ type: "auto_compaction_end", ...(error === undefined ? {} : { error }) }];
    }
    case "retry":
      return retryEvents(fold, event.data);
    case "ttsr_triggered":
      return [{ type: "ttsr_triggered", rules: event.data.rules }];
    case "assistant_text_start":
    case "assistant_text_delta":
    case "assistant_reasoning_delta":
    case "tool_call_args_delta":
    case "assistant_text_end":
      return mapAnswer(fold, event);
    case "tool_call_start":
    case "tool_call_output_delta":
    case "tool_call_end":
      return mapCall(fold, event);
    default:
      return NOTHING;
  }
}

type AnswerEvent = Extract<
  SessionEvent,
  {
    kind:
      | "assistant_text_start"
      | "assistant_text_delta"
      | "assistant_reasoning_delta"
      | "tool_call_args_delta"
      | "assistant_text_end";
  }
>;

function mapAnswer(fold: Fold, event: AnswerEvent): readonly AgentEvent[] {
  switch (event.kind) {
    case "assistant_text_start": {
      const ended: AgentEvent[] = fold.retrying ? [{ type: "auto_retry_end", success: true }] : [];
      Object.assign(fold, { text: "", thinking: "", streaming: true, retrying: false });
      return [...ended, { type: "message_start", message: partial(fold) }];
    }
    case "assistant_text_delta":
      fold.text += event.data.delta;
      return [update(fold, { type: "text_delta", delta: event.data.delta })];
    case "assistant_reasoning_delta":
      fold.thinking += event.data.delta;
      return [update(fold, { type: "thinking_delta", delta: event.data.delta })];
    case "tool_call_args_delta": {
      const { call_id, tool_name, delta } = event.data;
      return [update(fold, { type: "toolcall_delta", toolCallId: call_id, toolName: tool_name, delta })];
    }
    case "assistant_text_end": {
      const message = event.data.message ?? Message.assistant(event.data.text);
      const started: AgentEvent[] = fold.streaming ? [] : [{ type: "message_start", message }];
      fold.streaming = false;
      fold.answer = message;
      const { entry_id: entryId } = event.data;
      if (entryId !== undefined) fold.messages.push(message);
      return [...started, { type: "message_end", message, ...(entryId === undefined ? {} : { entryId }) }];
    }
  }
}

type CallEvent = Extract<SessionEvent, { kind: "tool_call_start" | "tool_call_output_delta" | "tool_call_end" }>;

function mapCall(fold: Fold, event: CallEvent): readonly AgentEvent[] {
  switch (event.kind) {
    case "tool_call_start": {
      const { call_id: toolCallId, tool_name: toolName, arguments: args, card } = event.data;
      fold.calls.set(toolCallId, { toolName, card });
      return [{ type: "tool_execution_start", toolCallId, toolName, args, card, ...nestedIn(event.data) }];
    }
    case "tool_call_output_delta": {
      const { call_id, delta, stream } = event.data;
      return [{ type: "tool_execution_update", toolCallId: call_id, delta, stream }];
    }
    case "tool_call_end": {
      const { call_id, tool_name, output, error, is_error, details, message, card, entry_id, changes } = event.data;
      const result = { output: output ?? error ?? "", ...(details === undefined ? {} : { details }) };
      fold.calls.delete(call_id);
      const nested = nestedIn(event.data);
      const end = {
        ...{ toolCallId: call_id, toolName: tool_name, result, isError: is_error },
        ...{ card, entryId: entry_id, ...(changes === undefined ? {} : { changes }), ...nested },
      };
      if (nested.nestedIn !== undefined) return [{ type: "tool_execution_end", ...end }];
      fold.results.push(message);
      return [{ type: "tool_execution_end", ...end }, ...whole(fold, message, entry_id)];
    }
  }
}

const nestedIn = ({ nested_in }: { readonly nested_in?: string }): { readonly nestedIn?: string } =>
  nested_in === undefined ? {} : { nestedIn: nested_in };

function retryEvents(fold: Fold, data: Extract<SessionEvent, { kind: "retry" }>["data"]): readonly AgentEvent[] {
  const discarded: AgentEvent[] = fold.streaming
    ? [{ type: "message_end", message: partial(fold), discarded: true }]
    : [];
  const again: AgentEvent[] = fold.retrying ? [{ type: "auto_retry_end", success: false }] : [];
  fold.streaming = false;
  fold.retrying = true;
  const { attempt, delay_ms, message } = data;
  return [...discarded, ...again, { type: "auto_retry_start", attempt, delayMs: delay_ms, errorMessage: message }];
}

/** A session that fails during an input never closes that input. A host that waits for its end still gets the event. */
function closingEvents(fold: Fold, reason: string): readonly AgentEvent[] {
  const { messages, answer: message, results: toolResults } = fold;
  if (messages.length === 0) return NOTHING;
  const result = { output: "The session ended before the call did." };
  const ends: AgentEvent[] = [...fold.calls].map(([toolCallId, call]) => {
    return { type: "tool_execution_end", toolCallId, ...call, result, isError: true };
  });
  if (fold.streaming) ends.push({ type: "message_end", message: partial(fold) });
  if (fold.inTurn) ends.push({ type: "turn_end", message, toolResults });
  return [...ends, { type: "agent_end", messages, reason }];
}

function whole(fold: Fold, message: Message, entryId: string): readonly AgentEvent[] {
  fold.messages.push(message);
  return [
    { type: "message_start", message, entryId },
    { type: "message_end", message, entryId },
  ];
}

function update(fold: Fold, assistantMessageEvent: AssistantMessageEvent): AgentEvent {
  return { type: "message_update", assistantMessageEvent, message: partial(fold) };
}

function partial(fold: Fold): Message {
  const content: Message["content"][number][] = [];
  if (fold.thinking !== "") content.push({ kind: "thinking", thinking: { text: fold.thinking, redacted: false } });
  if (fold.text !== "") content.push({ kind: "text", text: fold.text });
  return { role: "assistant", content };
}
