// How a message looks in the conversation of its recipient.

import { escapeFrames } from "../../base/text/unframed.ts";
import type { IrcMessage } from "../../contract/irc.ts";
import { ToolFailure } from "../../contract/tool.ts";

/** Longer texts belong in a file that the message refers to. */
const MOST_CHARS = 20_000;

/** Throws for the model if the text cannot be sent. */
export function checkedText(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") throw new ToolFailure("The message is empty. Say something in message.");
  if (trimmed.length > MOST_CHARS)
    throw new ToolFailure(
      `The message has ${trimmed.length} characters; ${MOST_CHARS} is the most. Write it to local://<name> and send that address.`,
    );
  return trimmed;
}

/** No text can end the frame early or begin one that names another sender. */
export function frameMessage({ id, from, text, replyTo }: IrcMessage, note?: string): string {
  const answered = replyTo === undefined ? "" : ` reply_to="${replyTo}"`;
  const notes = note === undefined ? "" : `\n[${note}]`;
  return `<irc_message from="${from}" id="${id}"${answered}>\n${escapeFrames(text)}${notes}\n</irc_message>`;
}

/** The text inside a frame. */
export function textIn(content: string): string {
  return /^<irc_message [^\n]*>\n([\s\S]*)\n<\/irc_message>$/.exec(content)?.[1] ?? content;
}

const MESSAGE_ID = /^\d{1,20}$/;

export function checkedReply(replyTo: string | undefined): string | undefined {
  if (replyTo === undefined || MESSAGE_ID.test(replyTo)) return replyTo;
  throw new ToolFailure(`replyTo is ${JSON.stringify(replyTo)}; it must be the id of a message.`);
}

/** Ids that grow with time: milliseconds, then a counter. */
export class MessageIds {
  readonly #now: () => number;
  #last = 0n;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records an id that was used before. */
  use(id: string): void {
    const used = MESSAGE_ID.test(id) ? BigInt(id) : 0n;
    if (used > this.#last) this.#last = used;
  }

  next(): string {
    const first = BigInt(Math.max(0, this.#now() - EPOCH)) << 22n;
    this.#last = first > this.#last ? first : this.#last + 1n;
    return String(this.#last);
  }
}

const EPOCH = Date.UTC(2015, 0, 1);
