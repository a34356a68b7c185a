// Turns a session's events into plain lines: the answer as it streams, one line per finished call. Only ever appends; knows
// nothing of keys or commands.

import type { EventData, SessionEvent } from "@lathe/agent";
import { visibleLine, visibleText } from "@lathe/agent/base";
import { shorten, widthOf } from "@lathe/tui";
import { reportLine } from "../../../sessions/reports.ts";
import type { LineStyle } from "../host-view.ts";
import { bodyLines } from "./body-lines.ts";

/** What jobs and agents report has marks for the model, and is not something that the user said. */
const steeringLine = ({ content, source }: EventData["steering_injected"]): string =>
  visibleLine(source && source.kind !== "user" ? reportLine(source, content) : `› ${content}`);

export interface Output {
  write(text: string): void;
}

export interface PrinterOptions {
  readonly color: boolean;
  readonly columns: () => number;
  /** Says in words what a screen would show by marks and movement: for those who hear it. */
  readonly inWords?: boolean;
}

const CODES: Readonly<Record<LineStyle, string>> = { dim: "2", bold: "1", red: "31", green: "32", yellow: "33" };

export class LinePrinter {
  readonly #out: Output;
  readonly #options: PrinterOptions;
  /** The cursor is after unfinished text. */
  #open = false;
  #thinks = false;
  #begun = 0;
  /** `allowedAt`: when a person had answered. */
  readonly #calls = new Map<string, { name: string; summary: string; allowedAt?: number }>();

  constructor(out: Output, options: PrinterOptions) {
    this.#out = out;
    this.#options = options;
  }

  /** A line of the product's own. */
  line(text: string, style?: LineStyle): void {
    this.fresh();
    const shown = visibleText(text);
    this.#out.write(`${style ? this.#paint(shown, style) : shown}\n`);
  }

  event(event: SessionEvent): void {
    switch (event.kind) {
      case "user_input":
        this.#begun = event.timestamp;
        this.#thinks = false;
        this.#state("Working.");
        break;
      case "processing_end":
        if (event.data.reason === "interrupted") this.line("Interrupted.", "yellow");
        else
          this.#state(
            `${event.data.reason === "completed" ? "Done" : "Ended"} after ${seconds(event.timestamp - this.#begun)}.`,
          );
        break;
      case "assistant_reasoning_delta":
        if (!this.#thinks) this.#state("Thinking.");
        this.#thinks = true;
        break;
      case "assistant_text_delta":
        this.#thinks = false;
        this.#out.write(visibleText(event.data.delta));
        this.#open = !event.data.delta.endsWith("\n");
        break;
      case "assistant_text_end":
        this.fresh();
        break;
      case "tool_call_start":
        this.#calls.set(event.data.call_id, { name: event.data.tool_name, summary: event.data.summary });
        this.#state(`Running: ${about({ name: event.data.tool_name, summary: event.data.summary })}`);
        break;
      case "approval_settled": {
        const call = this.#calls.get(event.data.call_id);
        if (call) call.allowedAt = event.timestamp;
        break;
      }
      case "tool_call_end":
        this.#call(event);
        break;
      case "steering_injected":
        this.line(steeringLine(event.data), "dim");
        break;
      case "retry":
        this.line(`${event.data.message.replace(/\.$/, "")}; trying again${inSeconds(event.data.delay_ms)}`, "yellow");
        break;
      case "warning":
      case "loop_detection":
        this.line(event.data.message, "yellow");
        break;
      case "ttsr_triggered":
        this.line(`The model was given a rule that it began to break: ${event.data.rules.join(", ")}.`, "yellow");
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
    const what = about({ name: data.tool_name, summary: data.summary });
    // The time a person took to answer is not the call's.
    const took = call?.allowedAt === undefined ? data.duration_ms : timestamp - call.allowedAt;
    const outcome = outcomeOf(data, took);
    const room = Math.max(20, this.#options.columns() - widthOf(outcome) - 11);
    this.fresh();
    this.#out.write(
      `  ${this.#mark(data.is_error)} ${shorten(what, room)}${outcome && `  ${this.#paint(outcome, "dim")}`}\n`,
    );
    for (const { text, style } of bodyLines(data.card)) this.line(text, style);
  }

  #state(text: string): void {
    if (this.#options.inWords) this.line(shorten(visibleLine(text), Math.max(20, this.#options.columns() - 1)), "dim");
  }

  #mark(isError: boolean): string {
    if (this.#options.inWords) return isError ? "failed:" : "done:";
    return isError ? this.#paint("✗", "red") : this.#paint("✓", "green");
  }

  #childCall(agent: string, data: { tool_name: string; is_error: boolean }): void {
    this.line(`    ${this.#mark(data.is_error)} [${agent}] ${data.tool_name}`);
  }

  /** What follows begins a row. */
  fresh(): void {
    if (this.#open) this.#out.write("\n");
    this.#open = false;
  }

  #paint(text: string, style: LineStyle): string {
    return this.#options.color ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;
  }
}

const about = ({ name, summary }: { name: string; summary: string }): string => visibleLine(`${name} ${summary}`);

function outcomeOf(data: EventData["tool_call_end"], tookMs: number): string {
  const failed = data.is_error ? shorten(visibleLine(data.error ?? "failed"), 60) : "";
  const outcome = data.card.outcome === undefined ? failed : visibleLine(data.card.outcome);
  return [outcome, tookMs >= 1000 ? seconds(tookMs) : ""].filter((part) => part !== "").join(", ");
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const inSeconds = (ms: number): string => (ms > 0 ? ` in ${Math.ceil(ms / 1000)} s` : "");
