// From what a session reports to what the editor is told. One for each session; it remembers only what is running.

import type { ClientCapabilities, PlanEntry, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import type { Access, EventData, SessionEvent } from "@lathe/agent";
import type { TodoList } from "@lathe/agent/tools";
import { textOf } from "@lathe/llm";
import { isOwn as isPersons } from "../../conversation/unsent.ts";
import { ANSWERS_OF_COMMANDS } from "../../hosts/headless/told-at-end.ts";
import { type Blobs, contentOf, fenced, kindOf, locationsOf, textContent, titleOf } from "./calls.ts";

export interface UpdateParts {
  readonly capabilities: ClientCapabilities;
  readonly blobs: Blobs;
  readonly todo: () => TodoList;
  readonly usage: () => Extract<SessionUpdate, { sessionUpdate: "usage_update" }>;
  /** Whether an input is one that this client has sent. */
  readonly isOwnInput: (entryId: string) => boolean;
}

interface RunningCall {
  output: string;
  terminalId?: string;
  /** Texts of the arguments, by which a command finds its call. */
  readonly words: readonly string[];
}

/** Of the output of a running call. */
const MOST_OUTPUT = 8_000;

export class Updates {
  readonly #parts: UpdateParts;
  readonly #running = new Map<string, RunningCall>();
  /** What calls will touch: it may be known before the client is told of the call. */
  readonly #declared = new Map<string, readonly Access[] | undefined>();
  #hasStreamed = false;
  #sentTodo = "[]";
  #compactions = 0;

  constructor(parts: UpdateParts) {
    this.#parts = parts;
  }

  of(event: SessionEvent): readonly SessionUpdate[] {
    switch (event.kind) {
      case "user_input":
      case "steering_injected":
        return this.#ofPerson(event.data);
      case "assistant_text_start":
        this.#hasStreamed = false;
        return [];
      case "assistant_text_delta":
        this.#hasStreamed = true;
        return [said("agent_message_chunk", event.data.delta)];
      case "assistant_reasoning_delta":
        return [said("agent_thought_chunk", event.data.delta)];
      case "assistant_text_end":
        return this.#hasStreamed || event.data.text === "" ? [] : [said("agent_message_chunk", event.data.text)];
      case "tool_call_start":
        return [this.#callStarts(event.data)];
      case "tool_call_output_delta":
        return this.#callPrints(event.data);
      case "tool_call_end":
        return [this.#callEnds(event.data), ...this.#plan()];
      case "approval_settled":
        return event.data.decision === "allow" && this.#running.has(event.data.call_id)
          ? [{ sessionUpdate: "tool_call_update", toolCallId: event.data.call_id, status: "in_progress" }]
          : [];
      case "fact_changed":
        return this.#plan();
      case "turn_end":
      case "compaction_end":
        return [...this.#compacted(event), this.#parts.usage()];
      case "compaction_start":
        return this.#compacted(event);
      case "processing_end": {
        const { awaiting } = event.data;
        return awaiting === undefined || awaiting.text === ""
          ? []
          : [said("agent_message_chunk", `\n\n${awaiting.text}`)];
      }
      case "subagent_event": {
        const { event: inner } = event.data;
        if (inner.kind === "tool_call_end") this.#declared.delete(inner.data.call_id);
        return [];
      }
      case "warning":
        return this.#warning(event.data);
      default:
        return [];
    }
  }

  /** What the call will touch has become known; undefined when the client was told of nothing yet. */
  declared(callId: string, access: readonly Access[] | undefined): SessionUpdate | undefined {
    this.#declared.set(callId, access);
    if (!this.#running.has(callId)) return undefined;
    const locations = [...locationsOf(access)];
    return { sessionUpdate: "tool_call_update", toolCallId: callId, kind: kindOf(access), locations };
  }

  isAnnounced(callId: string): boolean {
    return this.#running.has(callId);
  }

  /** The call that runs this command shows its terminal; undefined when none of those that run does. */
  inTerminal(command: string, terminalId: string): SessionUpdate | undefined {
    const without = [...this.#running].filter(([, call]) => call.terminalId === undefined);
    // A tool may run less than it was given, such as a command without its `| head`.
    const found =
      without.find(([, { words }]) => words.includes(command)) ??
      without.find(([, { words }]) => words.some((word) => word.startsWith(command) || command.endsWith(word)));
    if (!found) return undefined;
    const [toolCallId, call] = found;
    call.terminalId = terminalId;
    return { sessionUpdate: "tool_call_update", toolCallId, content: [terminal(terminalId)] };
  }

  /** What a job or an agent sends is no message of the user's. */
  #ofPerson(input: EventData["user_input"] | EventData["steering_injected"]): readonly SessionUpdate[] {
    // One that goes on was told when it began.
    if ("origin" in input && input.origin === "continue") return [];
    if (!isPersons(input) || this.#parts.isOwnInput(input.entry_id)) return [];
    return [said("user_message_chunk", textOf(input.message))];
  }

  #callStarts({ call_id, card, arguments: rawInput }: EventData["tool_call_start"]): SessionUpdate {
    const words = Object.values(rawInput).filter((value): value is string => typeof value === "string");
    this.#running.set(call_id, { output: "", words });
    const access = this.#declared.get(call_id);
    return {
      sessionUpdate: "tool_call",
      toolCallId: call_id,
      title: titleOf(card),
      ...(access ? { kind: kindOf(access), locations: [...locationsOf(access)] } : {}),
      status: "in_progress",
      rawInput,
    };
  }

  #callPrints({ call_id, delta }: EventData["tool_call_output_delta"]): readonly SessionUpdate[] {
    const call = this.#running.get(call_id);
    if (!call || call.terminalId !== undefined) return [];
    call.output = (call.output + delta).slice(-MOST_OUTPUT);
    return [{ sessionUpdate: "tool_call_update", toolCallId: call_id, content: [textContent(fenced(call.output))] }];
  }

  #callEnds({ call_id, card, changes = [], is_error }: EventData["tool_call_end"]): SessionUpdate {
    const { terminalId } = this.#running.get(call_id) ?? {};
    const access = this.#declared.get(call_id);
    this.#running.delete(call_id);
    this.#declared.delete(call_id);
    const shown: ToolCallContent[] = contentOf(card, changes, this.#parts.blobs);
    return {
      sessionUpdate: "tool_call_update",
      toolCallId: call_id,
      title: titleOf(card),
      kind: kindOf(access, changes),
      status: is_error || card.failed ? "failed" : "completed",
      locations: [...locationsOf(access, changes)],
      content:
        terminalId === undefined || is_error
          ? shown
          : [terminal(terminalId), ...shown.filter(({ type }) => type === "diff")],
    };
  }

  #plan(): readonly SessionUpdate[] {
    const todo = this.#parts.todo();
    const text = JSON.stringify(todo);
    if (text === this.#sentTodo) return [];
    this.#sentTodo = text;
    return [planOf(todo)];
  }

  #compacted(event: SessionEvent): readonly SessionUpdate[] {
    if (!this.#parts.capabilities.session?.compaction) return [];
    if (event.kind === "compaction_start")
      return [
        {
          sessionUpdate: "compaction_update",
          compactionId: `compaction-${++this.#compactions}`,
          status: "in_progress",
        },
      ];
    if (event.kind !== "compaction_end") return [];
    const { error } = event.data;
    const compactionId = `compaction-${this.#compactions}`;
    return error === undefined
      ? [{ sessionUpdate: "compaction_update", compactionId, status: "completed" }]
      : [{ sessionUpdate: "compaction_update", compactionId, status: "failed", error }];
  }

  /** What a command answers is shown also where the editor has no notices. */
  #warning({ code, message }: EventData["warning"]): readonly SessionUpdate[] {
    const hasNotices = Boolean(this.#parts.capabilities.session?.notices);
    if (hasNotices || !ANSWERS_OF_COMMANDS.has(code)) return this.#notice("warning", message);
    return [said("agent_message_chunk", message)];
  }

  #notice(severity: "info" | "warning", title: string): readonly SessionUpdate[] {
    return this.#parts.capabilities.session?.notices ? [{ sessionUpdate: "notice", severity, title }] : [];
  }
}

const terminal = (terminalId: string): ToolCallContent => ({ type: "terminal", terminalId });

export function said(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}

/** The protocol has no task that was given up: those are left out. */
export function planOf(todo: TodoList): SessionUpdate {
  const entries = todo.flatMap(({ tasks }) =>
    tasks.flatMap(({ content, status }): PlanEntry[] =>
      status === "abandoned" ? [] : [{ content, priority: "medium", status }],
    ),
  );
  return { sessionUpdate: "plan", entries };
}
