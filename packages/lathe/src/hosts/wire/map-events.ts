// Maps session events to wire events. There is one mapper per session; it only remembers what is being streamed.

import { type AgentEvent, type SessionEvent, toAgentEvents } from "@lathe/agent";
import type { AgentOverview } from "@lathe/agent/contract";
import { TODO_FACT } from "@lathe/agent/tools";
import type { JsonValue } from "@lathe/llm";
import { WORKFLOW_FACT, type WorkflowState } from "../../additions/workflows/workflow.ts";
import { GATE_ANSWER_FACT, GATE_FACT, type KeptAnswer, type KeptGate } from "../../conversation/gates/gate.ts";
import { TODO_REMINDER_FACT } from "../../conversation/todo/todo-facts.ts";
import type { WireEvent, WireEventOf } from "./events.ts";
import { toWire } from "./to-wire.ts";

type WireAgent = WireEventOf<"task:subagent:progress">["agent"];
/** The overview is plain data without undefined fields. */
export const agentOf = (agent: AgentOverview): WireAgent => agent as WireAgent;

/** Returns a mapper that must get every event of one session in order. */
export function toWireEvents(): (event: SessionEvent) => readonly WireEvent[] {
  const map = toAgentEvents();
  const children = new Map<string, ReturnType<typeof toWireEvents>>();
  return (event) => {
    if (event.kind !== "subagent_event") {
      const own = productEvent(event);
      return own ? [own] : map(event).map(agentEvent);
    }
    const { agent_id: agentId, event: inner } = event.data;
    let child = children.get(agentId);
    if (!child) {
      child = toWireEvents();
      children.set(agentId, child);
    }
    const events = child(inner).filter(({ type }) => !DELTAS.has(type));
    return events.map((wrapped) => ({ type: "task:subagent:event", agentId, event: wrapped }));
  };
}

/**
 * Deltas of agents would outnumber everything else, as 16 agents may write at once. Progress events show the end of
 * their output.
 */
const DELTAS: ReadonlySet<WireEvent["type"]> = new Set(["message_update", "tool_execution_update"]);

function agentEvent(event: AgentEvent): WireEvent {
  switch (event.type) {
    case "agent_end":
      return { ...event, messages: event.messages.map(toWire) };
    case "turn_end": {
      const toolResults = event.toolResults.map(toWire);
      return event.message
        ? { type: "turn_end", message: toWire(event.message), toolResults }
        : { type: "turn_end", toolResults };
    }
    case "message_start":
    case "message_end":
      return { ...event, message: toWire(event.message) };
    case "message_update":
      return { type: "message_update", assistantMessageEvent: event.assistantMessageEvent };
    default:
      return event;
  }
}

function factEvent({ kind, value }: { readonly kind: string; readonly value: JsonValue }): WireEvent | undefined {
  switch (kind) {
    case TODO_FACT:
      return { type: "todo_auto_clear" };
    case TODO_REMINDER_FACT:
      return { type: "todo_reminder" };
    case WORKFLOW_FACT: {
      const { workflow, state } = value as unknown as WorkflowState;
      return { type: "lathe:workflow", workflow, state };
    }
    case GATE_FACT:
      return { type: "lathe:gate", gate: (value as unknown as KeptGate).gate };
    case GATE_ANSWER_FACT: {
      const { gate_id, status, by } = value as unknown as KeptAnswer;
      return { type: "lathe:gate_settled", gate_id, status, by };
    }
    default:
      return undefined;
  }
}

function productEvent(event: SessionEvent): WireEvent | undefined {
  switch (event.kind) {
    case "warning":
      return { type: "lathe:warning", ...event.data };
    case "error": {
      const { message, kind, error_type: errorType, fatal } = event.data;
      return { type: "lathe:error", message, kind, errorType, fatal };
    }
    case "prefix_changed":
      return { type: "lathe:prefix_changed", ...event.data };
    case "approval_request": {
      const { call_id: toolCallId, tool_name: toolName, arguments: args, reason, nested_in: nestedIn } = event.data;
      return {
        type: "lathe:approval_request",
        toolCallId,
        toolName,
        args,
        ...(reason === undefined ? {} : { reason }),
        ...(nestedIn === undefined ? {} : { nestedIn }),
      };
    }
    case "approval_settled": {
      const { call_id: toolCallId, ...rest } = event.data;
      return { type: "lathe:approval_settled", toolCallId, ...rest };
    }
    case "queue_changed":
      return { type: "lathe:queue_changed", ...event.data };
    case "turn_limit":
      return "round" in event.data
        ? { type: "lathe:limit", kind: "rounds", reached: event.data.round }
        : { type: "lathe:limit", kind: "turns", reached: event.data.total_turns };
    case "tree_moved": {
      const { old_leaf_id: oldLeafId, new_leaf_id: newLeafId, summary_entry_id, from_extension } = event.data;
      const summary = summary_entry_id === undefined ? {} : { summaryEntryId: summary_entry_id };
      return { type: "lathe:tree_moved", oldLeafId, newLeafId, ...summary, fromExtension: from_extension };
    }
    case "fact_changed":
      return factEvent(event.data);
    case "agent_lifecycle":
      return { type: "task:subagent:lifecycle", agent: agentOf(event.data.agent) };
    case "agent_progress":
      return { type: "task:subagent:progress", agent: agentOf(event.data.agent) };
    case "loop_detection":
      return { type: "lathe:loop_detected", ...event.data };
    default:
      return undefined;
  }
}
