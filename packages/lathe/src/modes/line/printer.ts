// Turns a session's events into plain lines: the answer as it streams, one line per finished call. Only ever appends; knows
// nothing of keys or commands.

import { type EventData, type SessionEvent, visibleLine, visibleText } from "@lathe/agent";
import { shorten, widthOf } from "./width.ts";

export interface Output {
  write(text: string): void;
  /** The current status, where it can be erased again. Empty: none. */
  status?(text: string): void;
}

export type Style = "dim" | "bold" | "red" | "green" | "yellow";
const CODES: Readonly<Record<Style, string>> = { dim: "2", bold: "1", red: "31", green: "32", yellow: "33" };

export class LinePrinter {
  readonly #out: Output;
  readonly #color: boolean;
  readonly #columns: () => number;
  /** The cursor is after unfinished text. */
  #open = false;
  /** `allowedAt`: when a person had answered. */
  readonly #calls = new Map<string, { name: string; summary: string; allowedAt?: number }>();

  constructor(out: Output, options: { color: boolean; columns: () => number }) {
    this.#out = out;
    this.#color = options.color;
    this.#columns = options.columns;
  }

  /** A line of the product's own. */
  line(text: string, style?: Style): void {
    this.fresh();
    const shown = visibleText(text);
    this.#out.write(`${style ? this.#paint(shown, style) : shown}\n`);
  }

  event(event: SessionEvent): void {
    switch (event.kind) {
      case "turn_start":
        this.#out.status?.("…");
        break;
      case "turn_end":
      case "processing_end":
        this.#out.status?.("");
        break;
      case "assistant_reasoning_delta":
        this.#out.status?.("… thinking");
        break;
      case "assistant_text_delta":
        this.#out.status?.("");
        this.#out.write(visibleText(event.data.delta));
        this.#open = !event.data.delta.endsWith("\n");
        break;
      case "assistant_text_end":
        this.fresh();
        break;
      case "tool_call_start":
        this.#calls.set(event.data.call_id, { name: event.data.tool_name, summary: event.data.summary });
        this.#running();
        break;
      case "approval_settled": {
        const call = this.#calls.get(event.data.call_id);
        if (call) call.allowedAt = event.timestamp;
        break;
      }
      case "tool_call_end":
        this.#call(event);
        this.#running();
        break;
      case "steering_injected":
        this.line(`› ${visibleLine(event.data.content)}`, "dim");
        break;
      case "retry":
        this.line(`${event.data.message}; trying again in ${Math.ceil(event.data.delay_ms / 1000)} s`, "yellow");
        break;
      case "warning":
      case "loop_detection":
        this.line(event.data.message, "yellow");
        break;
      case "error":
        this.line(event.data.message, "red");
        break;
      case "subagent_event":
        if (event.data.event.kind === "tool_call_end") this.#childCall(event.data.agent_id, event.data.event.data);
        break;
      case "session_end":
        this.fresh();
        break;
    }
  }

  #call({ data, timestamp }: Extract<SessionEvent, { kind: "tool_call_end" }>): void {
    const call = this.#calls.get(data.call_id);
    this.#calls.delete(data.call_id);
    const mark = data.is_error ? this.#paint("✗", "red") : this.#paint("✓", "green");
    const what = about({ name: data.tool_name, summary: data.summary });
    // The time a person took to answer is not the call's.
    const took = call?.allowedAt === undefined ? data.duration_ms : timestamp - call.allowedAt;
    const outcome = outcomeOf(data, took);
    const room = Math.max(20, this.#columns() - widthOf(outcome) - 6);
    this.fresh();
    this.#out.write(`  ${mark} ${shorten(what, room)}${outcome && `  ${this.#paint(outcome, "dim")}`}\n`);
  }

  /** The call that was started last stands for all that run. */
  #running(): void {
    const calls = [...this.#calls.values()];
    const last = calls.at(-1);
    const more = calls.length > 1 ? `(${calls.length} calls) ` : "";
    this.#out.status?.(last ? `  … ${more}${about(last)}` : "");
  }

  #childCall(agent: string, data: { tool_name: string; is_error: boolean }): void {
    this.line(`    ${data.is_error ? "✗" : "✓"} [${agent}] ${data.tool_name}`, "dim");
  }

  /** What follows begins a row. */
  fresh(): void {
    if (this.#open) this.#out.write("\n");
    this.#open = false;
  }

  #paint(text: string, style: Style): string {
    return this.#color ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;
  }
}

const about = ({ name, summary }: { name: string; summary: string }): string => visibleLine(`${name} ${summary}`);

function outcomeOf(data: EventData["tool_call_end"], tookMs: number): string {
  const failed = data.is_error ? shorten(visibleLine(data.error ?? "failed"), 60) : "";
  const outcome = data.card.outcome === undefined ? failed : visibleLine(data.card.outcome);
  return [outcome, tookMs >= 1000 ? `${(tookMs / 1000).toFixed(1)} s` : ""].filter((part) => part !== "").join(", ");
}
