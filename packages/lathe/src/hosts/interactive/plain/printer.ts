// Turns a session's events into plain lines: the answer as it streams, and one line per finished call. It only appends,
// and knows nothing of keys or commands.

import type { Card, EventData, SessionEvent } from "@lathe/agent";
import { visibleLine, visibleText } from "@lathe/agent/base";
import { shorten, widthOf } from "@lathe/tui";
import { reportLine } from "../../../sessions/reports.ts";
import type { LineStyle } from "../host-view.ts";
import { bodyLines } from "./body-lines.ts";

/** Reports of jobs and agents contain tags for the model, and are not the user's words. */
const steeringLine = ({ content, source }: EventData["steering_injected"]): string =>
  visibleLine(source && source.kind !== "user" ? reportLine(source, content) : `› ${content}`);

export interface Output {
  write(text: string): void;
}

export interface PrinterOptions {
  readonly color: boolean;
  readonly columns: () => number;
  /** Uses words instead of symbols, for screen readers. */
  readonly inWords?: boolean;
}

interface CallName {
  readonly name: string;
  readonly summary: string;
}

interface EndedCall extends CallName {
  readonly isError: boolean;
  readonly error?: string;
  readonly tookMs: number;
  readonly card: Card;
}

const CODES: Readonly<Record<LineStyle, string>> = { dim: "2", bold: "1", red: "31", green: "32", yellow: "33" };

export class LinePrinter {
  readonly #out: Output;
  readonly #options: PrinterOptions;
  /** The cursor is after an unfinished line. */
  #open = false;
  #thinks = false;
  #begun = 0;
  readonly #calls = new Map<string, CallName & { allowedAt?: number }>();

  constructor(out: Output, options: PrinterOptions) {
    this.#out = out;
    this.#options = options;
  }

  /** Prints one of Lathe's own lines. */
  line(text: string, style?: LineStyle): void {
    this.endLine();
    const shown = visibleText(text);
    this.#out.write(`${style ? this.#paint(shown, style) : shown}\n`);
  }

  event(event: SessionEvent): void {
    switch (event.kind) {
      case "user_input":
        this.begin(event.timestamp);
        break;
      case "processing_end":
        this.end(event.data.reason, event.timestamp);
        break;
      case "assistant_reasoning_delta":
        this.think();
        break;
      case "assistant_text_delta":
        this.text(event.data.delta);
        break;
      case "assistant_text_end":
        this.endLine();
        break;
      case "tool_call_start":
        this.startCall(event.data.call_id, { name: event.data.tool_name, summary: event.data.summary });
        break;
      case "approval_settled":
        this.allowCall(event.data.call_id, event.timestamp);
        break;
      case "tool_call_end": {
        const { call_id, tool_name: name, summary, is_error: isError, error, duration_ms: tookMs, card } = event.data;
        const said = error === undefined ? {} : { error };
        this.endCall(call_id, { name, summary, isError, tookMs, card, ...said }, event.timestamp);
        break;
      }
      case "steering_injected":
        this.line(steeringLine(event.data), "dim");
        break;
      case "retry":
        this.retry(event.data.message, event.data.delay_ms);
        break;
      case "warning":
      case "loop_detection":
        this.line(event.data.message, "yellow");
        break;
      case "ttsr_triggered":
        this.line(`The model began to break a rule and was reminded of it: ${event.data.rules.join(", ")}.`, "yellow");
        break;
      case "error":
        this.line(event.data.message, "red");
        break;
      case "subagent_event": {
        const { agent_id, event: inner } = event.data;
        if (inner.kind === "tool_call_end") this.childCall(agent_id, inner.data.tool_name, inner.data.is_error);
        break;
      }
      case "session_end":
        this.endLine();
        break;
    }
  }

  /** The agent begins to work. */
  begin(at: number): void {
    this.#begun = at;
    this.#thinks = false;
    this.#state("Working.");
  }

  end(reason: string, at: number): void {
    if (reason === "interrupted") this.line("Interrupted.", "yellow");
    else {
      // A client that joined in the middle does not know when the work began.
      const took = this.#begun === 0 ? "" : ` after ${seconds(at - this.#begun)}`;
      this.#state(`${reason === "completed" ? "Done" : "Ended"}${took}.`);
    }
  }

  /** The model is thinking; printed once. */
  think(): void {
    if (!this.#thinks) this.#state("Thinking.");
    this.#thinks = true;
  }

  /** Prints a piece of the answer. */
  text(delta: string): void {
    this.#thinks = false;
    this.#out.write(visibleText(delta));
    this.#open = !delta.endsWith("\n");
  }

  startCall(id: string, call: CallName): void {
    this.#calls.set(id, call);
    this.#state(`Running: ${about(call)}`);
  }

  /** The time that the user took to answer does not count for the call. */
  allowCall(id: string, at: number): void {
    const call = this.#calls.get(id);
    if (call) call.allowedAt = at;
  }

  endCall(id: string, call: EndedCall, at: number): void {
    const allowedAt = this.#calls.get(id)?.allowedAt;
    this.#calls.delete(id);
    const what = about(call);
    const outcome = outcomeOf(call, allowedAt === undefined ? call.tookMs : at - allowedAt);
    const room = Math.max(20, this.#options.columns() - widthOf(outcome) - 11);
    this.endLine();
    this.#out.write(
      `  ${this.#mark(call.isError)} ${shorten(what, room)}${outcome && `  ${this.#paint(outcome, "dim")}`}\n`,
    );
    for (const { text, style } of bodyLines(call.card)) this.line(text, style);
  }

  /** A call of an agent has ended. */
  childCall(agent: string, name: string, isError: boolean): void {
    this.line(`    ${this.#mark(isError)} [${agent}] ${name}`);
  }

  retry(message: string, delayMs: number): void {
    this.line(`${message.replace(/\.$/, "")}; trying again${inSeconds(delayMs)}`, "yellow");
  }

  #state(text: string): void {
    if (this.#options.inWords) this.line(shorten(visibleLine(text), Math.max(20, this.#options.columns() - 1)), "dim");
  }

  #mark(isError: boolean): string {
    if (this.#options.inWords) return isError ? "failed:" : "done:";
    return isError ? this.#paint("✗", "red") : this.#paint("✓", "green");
  }

  /** Ends an unfinished line. */
  endLine(): void {
    if (this.#open) this.#out.write("\n");
    this.#open = false;
  }

  #paint(text: string, style: LineStyle): string {
    return this.#options.color ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;
  }
}

const about = ({ name, summary }: CallName): string => visibleLine(`${name} ${summary}`);

function outcomeOf({ isError, error, card }: EndedCall, tookMs: number): string {
  const failed = isError ? shorten(visibleLine(error ?? "failed"), 60) : "";
  const outcome = card.outcome === undefined ? failed : visibleLine(card.outcome);
  return [outcome, tookMs >= 1000 ? seconds(tookMs) : ""].filter((part) => part !== "").join(", ");
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const inSeconds = (ms: number): string => (ms > 0 ? ` in ${Math.ceil(ms / 1000)} s` : "");
