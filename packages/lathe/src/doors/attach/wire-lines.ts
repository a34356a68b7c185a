// Turns the events of a followed session into plain lines, with the printer of plain mode.

import { visibleLine } from "@lathe/agent/base";
import type { LinePrinter } from "../../hosts/interactive/plain/printer.ts";
import type { WireEvent, WireEventOf } from "../../hosts/wire/events.ts";

export class WireLines {
  readonly #printer: LinePrinter;
  readonly #now: () => number;
  readonly #begun = new Map<string, number>();
  /** Texts this client has sent; they are on the screen already. */
  readonly #own = new Set<string>();
  /** Entries that are on the screen already. */
  readonly #read = new Set<string>();

  constructor(printer: LinePrinter, now: () => number) {
    this.#printer = printer;
    this.#now = now;
  }

  addOwn(text: string): void {
    this.#own.add(text);
  }

  /** An input that continues in another process starts with its original message, which must not be shown twice. */
  markShown(entryId: string): void {
    this.#read.add(entryId);
  }

  event(event: WireEvent): void {
    const printer = this.#printer;
    switch (event.type) {
      case "agent_start":
        printer.begin(this.#now());
        break;
      case "agent_end":
        printer.end(event.reason, this.#now());
        break;
      case "message_update":
        if (event.assistantMessageEvent.type === "text_delta") printer.text(event.assistantMessageEvent.delta);
        if (event.assistantMessageEvent.type === "thinking_delta") printer.think();
        break;
      case "message_end":
        if (event.message.role === "user") this.#message(event);
        else printer.endLine();
        if (event.discarded) printer.line("The answer was cut off; starting it again.", "yellow");
        break;
      case "tool_execution_start":
        this.#begun.set(event.toolCallId, this.#now());
        printer.startCall(event.toolCallId, { name: event.toolName, summary: event.card.subject });
        break;
      case "lathe:approval_settled":
        printer.allowCall(event.toolCallId, this.#now());
        break;
      case "tool_execution_end":
        this.#call(event);
        break;
      case "auto_retry_start":
        printer.retry(event.errorMessage, event.delayMs);
        break;
      case "lathe:warning":
      case "lathe:loop_detected":
        printer.line(event.message, "yellow");
        break;
      case "lathe:error":
        printer.line(event.message, "red");
        break;
      case "task:subagent:event":
        this.#childEvent(event);
        break;
    }
  }

  #call({ toolCallId, toolName, card, isError, result, nestedIn }: WireEventOf<"tool_execution_end">): void {
    const now = this.#now();
    const tookMs = now - (this.#begun.get(toolCallId) ?? now);
    this.#begun.delete(toolCallId);
    if (nestedIn !== undefined) return;
    const error = isError ? { error: result.output } : {};
    this.#printer.endCall(toolCallId, { name: toolName, summary: card.subject, isError, card, tookMs, ...error }, now);
  }

  #message({ message: { content }, entryId }: WireEventOf<"message_end">): void {
    if (entryId !== undefined) {
      if (this.#read.has(entryId)) return;
      this.#read.add(entryId);
    }
    const text = content.map((part) => (part.kind === "text" ? part.text : `[${part.kind}]`)).join("\n");
    if (!this.#own.delete(text)) this.#printer.line(visibleLine(`› ${text}`), "dim");
  }

  #childEvent({ agentId, event }: WireEventOf<"task:subagent:event">): void {
    const { type, toolName, isError } = event as Partial<WireEventOf<"tool_execution_end">>;
    if (type === "tool_execution_end") this.#printer.childCall(agentId, String(toolName), isError === true);
  }
}
