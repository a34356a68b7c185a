// Converts the events of one session to updates for the editor. It remembers only running calls.

import type { ClientCapabilities, PlanEntry, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import type { Access, EventData, SessionEvent } from "@lathe/agent";
import type { TodoList } from "@lathe/agent/tools";
import { textOf } from "@lathe/llm";
import { isOwn as isPersons } from "../../conversation/unsent-messages.ts";
import { COMMAND_ANSWER_CODES } from "../../hosts/headless/warning-codes.ts";
import { type Blobs, contentOf, fencedText, kindOf, locationsOf, textContent, titleOf } from "./calls.ts";

export interface UpdateParts {
  readonly capabilities: ClientCapabilities;
  readonly blobs: Blobs;
  readonly todo: () => TodoList;
  readonly usage: () => Extract<SessionUpdate, { sessionUpdate: "usage_update" }>;
  /** Whether this client sent the input. */
  readonly isOwnInput: (entryId: string) => boolean;
}

interface RunningCall {
  output: string;
  terminalId?: string;
  /** String arguments of the call; they link a terminal's command to its call. */
  readonly words: readonly string[];
}

/** Characters of output kept per running call. */
const MOST_OUTPUT = 8_000;

export class Updates {
  readonly #parts: UpdateParts;
  readonly #running = new Map<string, RunningCall>();
  /** Declared access by call; it may be known before the client knows the call. */
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
        return this.#inputUpdates(event.data);
      case "assistant_text_start":
        this.#hasStreamed = false;
        return [];
      case "assistant_text_delta":
        this.#hasStreamed = true;
        return [messageChunk("agent_message_chunk", event.data.delta)];
      case "assistant_reasoning_delta":
        return [messageChunk("agent_thought_chunk", event.data.delta)];
      case "assistant_text_end":
        return this.#hasStreamed || event.data.text === ""
          ? []
          : [messageChunk("agent_message_chunk", event.data.text)];
      case "tool_call_start":
        return [this.#callStarts(event.data)];
      case "tool_call_output_delta":
        return this.#callPrints(event.data);
      case "tool_call_end":
        return [this.#callEnds(event.data), ...this.#planUpdates()];
      case "approval_settled":
        return event.data.decision === "allow" && this.#running.has(event.data.call_id)
          ? [{ sessionUpdate: "tool_call_update", toolCallId: event.data.call_id, status: "in_progress" }]
          : [];
      case "fact_changed":
        return this.#planUpdates();
      case "turn_end":
      case "compaction_end":
        return [...this.#compactionUpdates(event), this.#parts.usage()];
      case "compaction_start":
        return this.#compactionUpdates(event);
      case "processing_end": {
        const { awaiting } = event.data;
        return awaiting === undefined || awaiting.text === ""
          ? []
          : [messageChunk("agent_message_chunk", `\n\n${awaiting.text}`)];
      }
      case "subagent_event": {
        const { event: inner } = event.data;
        if (inner.kind === "tool_call_end") this.#declared.delete(inner.data.call_id);
        return [];
      }
      case "warning":
        return this.#warningUpdates(event.data);
      default:
        return [];
    }
  }

  /** Stores the access of a call; returns undefined if the client does not know the call yet. */
  accessUpdate(callId: string, access: readonly Access[] | undefined): SessionUpdate | undefined {
    this.#declared.set(callId, access);
    if (!this.#running.has(callId)) return undefined;
    const locations = [...locationsOf(access)];
    return { sessionUpdate: "tool_call_update", toolCallId: callId, kind: kindOf(access), locations };
  }

  isAnnounced(callId: string): boolean {
    return this.#running.has(callId);
  }

  /** Shows the terminal in the running call whose command this is; undefined if there is none. */
  terminalUpdate(command: string, terminalId: string): SessionUpdate | undefined {
    const without = [...this.#running].filter(([, call]) => call.terminalId === undefined);
    // A tool may run less than its argument says, such as a command without its `| head`.
    const found =
      without.find(([, { words }]) => words.includes(command)) ??
      without.find(([, { words }]) => words.some((word) => word.startsWith(command) || command.endsWith(word)));
    if (!found) return undefined;
    const [toolCallId, call] = found;
    call.terminalId = terminalId;
    return { sessionUpdate: "tool_call_update", toolCallId, content: [terminal(terminalId)] };
  }

  /** Messages of jobs and agents are not the user's. */
  #inputUpdates(input: EventData["user_input"] | EventData["steering_injected"]): readonly SessionUpdate[] {
    // The client has already seen the message of an input that continues.
    if ("origin" in input && input.origin === "continue") return [];
    if (!isPersons(input) || this.#parts.isOwnInput(input.entry_id)) return [];
    return [messageChunk("user_message_chunk", textOf(input.message))];
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
    return [
      { sessionUpdate: "tool_call_update", toolCallId: call_id, content: [textContent(fencedText(call.output))] },
    ];
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

  #planUpdates(): readonly SessionUpdate[] {
    const todo = this.#parts.todo();
    const text = JSON.stringify(todo);
    if (text === this.#sentTodo) return [];
    this.#sentTodo = text;
    return [planOf(todo)];
  }

  #compactionUpdates(event: SessionEvent): readonly SessionUpdate[] {
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

  /** Commands answer with warnings; clients without notices get those as messages. */
  #warningUpdates({ code, message }: EventData["warning"]): readonly SessionUpdate[] {
    const hasNotices = Boolean(this.#parts.capabilities.session?.notices);
    if (hasNotices || !COMMAND_ANSWER_CODES.has(code)) return this.#noticeUpdates("warning", message);
    return [messageChunk("agent_message_chunk", message)];
  }

  #noticeUpdates(severity: "info" | "warning", title: string): readonly SessionUpdate[] {
    return this.#parts.capabilities.session?.notices ? [{ sessionUpdate: "notice", severity, title }] : [];
  }
}

const terminal = (terminalId: string): ToolCallContent => ({ type: "terminal", terminalId });

export function messageChunk(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}

/** The protocol has no status for abandoned tasks, so they are left out. */
export function planOf(todo: TodoList): SessionUpdate {
  const entries = todo.flatMap(({ tasks }) =>
    tasks.flatMap(({ content, status }): PlanEntry[] =>
      status === "abandoned" ? [] : [{ content, priority: "medium", status }],
    ),
  );
  return { sessionUpdate: "plan", entries };
}
