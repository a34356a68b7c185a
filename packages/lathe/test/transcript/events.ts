// Events as a session emits them, written by hand, for moments that a real run passes too quickly.

import type { Card, EventData, EventKind, SessionEvent } from "@lathe/agent";
import type { AgentOverview } from "@lathe/agent/contract";
import { Message } from "@lathe/llm";

export const event = <K extends EventKind>(kind: K, timestamp: number, data: EventData[K]): SessionEvent =>
  ({ kind, timestamp, data, seq: 1, session_id: "s" }) as SessionEvent;

export const input = (content: string, at = 0): SessionEvent =>
  event("user_input", at, {
    content,
    images: 0,
    entry_id: "u",
    origin: "input",
    message: Message.user(content),
  });

export const turnStart = (at: number): SessionEvent => event("turn_start", at, { turn: 1 });
export const turnEnd = (at: number): SessionEvent => event("turn_end", at, { turn: 1, outcome: "answered" });
export const textStart = (at: number): SessionEvent => event("assistant_text_start", at, {});
export const textDelta = (delta: string, at: number): SessionEvent => event("assistant_text_delta", at, { delta });
export const thought = (delta: string, at: number): SessionEvent => event("assistant_reasoning_delta", at, { delta });

export function answerEnd(text: string, calls: readonly string[], at: number, cost?: number): SessionEvent {
  const content: Message["content"][number][] = calls.map((id) => ({
    kind: "tool_call",
    toolCall: { id, name: "t", arguments: {}, type: "function" },
  }));
  const message: Message = { role: "assistant", content: [{ kind: "text", text }, ...content] };
  return event("assistant_text_end", at, {
    text,
    reasoning: "",
    entry_id: "a",
    message,
    finish: calls.length > 0 ? "tool_calls" : "stop",
    ...(cost === undefined ? {} : { cost }),
  });
}

const shell = (command: string): Card => ({
  verb: "Running",
  subject: command,
  body: { kind: "output", text: "", keeps: "tail", collapsed: 5 },
});

export const callStart = (id: string, at: number, card: Card = shell(id)): SessionEvent =>
  event("tool_call_start", at, { call_id: id, tool_name: "t", label: "T", summary: id, card, arguments: {} });

export const output = (id: string, delta: string, at: number): SessionEvent =>
  event("tool_call_output_delta", at, { call_id: id, delta, stream: "stdout" });

export const callEnd = (
  id: string,
  at: number,
  card: Card = { verb: "Ran", subject: id },
  error?: string,
): SessionEvent =>
  event("tool_call_end", at, {
    call_id: id,
    tool_name: "t",
    summary: id,
    card,
    is_error: error !== undefined,
    duration_ms: 1,
    entry_id: id,
    message: Message.toolResult({ toolCallId: id, content: "", isError: error !== undefined }),
    ...(error === undefined ? { output: "" } : { error }),
  });

export const inputEnd = (at: number, more: Partial<EventData["processing_end"]> = {}): SessionEvent =>
  event("processing_end", at, {
    reason: "completed",
    rounds: 1,
    usage: { inputTokens: 12_345, outputTokens: 678, totalTokens: 13_023, cacheReadTokens: 8_000 },
    cost: 0.0123,
    followups_pending: 0,
    ...more,
  });

/** An event with an agent's current state. */
export const agentIs = (
  kind: "agent_lifecycle" | "agent_progress",
  agent: Pick<AgentOverview, "agentId"> & Partial<AgentOverview>,
): SessionEvent =>
  event(kind, 0, {
    agent: {
      assignment: "",
      state: "running",
      status: "running",
      cost: 0,
      tokens: 0,
      requests: 0,
      doing: "",
      tail: [],
      unread: 0,
      ...agent,
    },
  });
