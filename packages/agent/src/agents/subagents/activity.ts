// What a child is doing now, from its events: a few words, and the end of its answers and of its tools' output.

import { oneLine } from "../../base/text/one-line.ts";
import type { SessionEvent } from "../../contract/events/types.ts";

const MOST_LINES = 8;
const MOST_BYTES = 8 * 1024;
const AWAITS_MODEL = "Waiting for the model";

export class Activity {
  #tail = "";
  #doing = "";
  #call = "";

  /** What the agent is doing, in a few words; "" if it is idle. */
  get doing(): string {
    return this.#doing;
  }

  /** The last lines, oldest first. */
  get lines(): readonly string[] {
    const lines = this.#tail.trimEnd().split("\n").slice(-MOST_LINES);
    const kept: string[] = [];
    let room = MOST_BYTES;
    for (const line of lines.reverse()) {
      const bytes = Buffer.byteLength(line) + 1;
      if (bytes > room && kept.length > 0) break;
      kept.unshift(bytes > room ? endOf(line, room - 1) : line);
      room -= bytes;
    }
    return kept.length === 1 && kept[0] === "" ? [] : kept;
  }

  clear(): void {
    this.#tail = "";
    this.#doing = "";
  }

  /** Returns true if the event changed anything. */
  follow(event: SessionEvent): boolean {
    switch (event.kind) {
      case "user_input":
        this.#tail = "";
        this.#doing = AWAITS_MODEL;
        return true;
      case "turn_start":
        this.#doing = AWAITS_MODEL;
        return true;
      case "assistant_reasoning_delta":
        return this.#does("Thinking");
      case "assistant_text_delta":
        this.#doing = "Answering";
        return this.#add(event.data.delta);
      case "tool_call_args_delta":
        return this.#does(`Preparing ${event.data.tool_name}`);
      case "tool_call_start":
        this.#call = oneLine(`${event.data.card.verb} ${event.data.card.subject}`);
        this.#does(this.#call);
        return this.#add(`${this.#tail === "" || this.#tail.endsWith("\n") ? "" : "\n"}> ${this.#call}\n`);
      case "tool_call_output_delta":
        return this.#add(event.data.delta);
      case "approval_request":
        return this.#does(`Waiting for an answer: ${event.data.summary}`);
      case "approval_settled":
        return this.#does(this.#call);
      case "retry":
        return this.#does(`Trying again: ${event.data.message}`);
      case "assistant_text_end":
        if (this.#tail !== "" && !this.#tail.endsWith("\n")) this.#add("\n");
        return true;
      case "processing_end":
        return this.#does("");
      default:
        return false;
    }
  }

  #does(what: string): boolean {
    const isNew = what !== this.#doing;
    this.#doing = what;
    return isNew;
  }

  #add(text: string): true {
    this.#tail += text;
    // A character has at least one byte. We trim only at twice the limit, so that the text is not copied with each
    // piece.
    if (this.#tail.length > 2 * MOST_BYTES) this.#tail = this.#tail.slice(-MOST_BYTES);
    return true;
  }
}

/** The end of a line: whole characters, at most this many bytes. */
function endOf(line: string, bytes: number): string {
  let end = line.slice(-bytes);
  while (Buffer.byteLength(end) > bytes) end = end.slice(Math.ceil((Buffer.byteLength(end) - bytes) / 4));
  return end.replace(/^[\uDC00-\uDFFF]/, "");
}
