// All messages between a session and its agents, as lines of the session's journal. A message is written before its
// recipient gets it, and marked when the recipient's own journal has it. So it outlives the process, and a call that is
// repeated after a crash does not send it twice.

import type { JsonObject } from "@lathe/llm";
import type { Journal } from "../../record/journal/journal.ts";
import { sentLine, settledLine } from "./lines.ts";
import { MessageIds } from "./message.ts";
import type { StoredMessage } from "./types.ts";

const LINE_KIND = "irc";

/** The journal and clock that the log uses. */
export interface LogParts {
  readonly journal: Journal;
  readonly now: () => number;
  /** Returns the text without known secrets. */
  redact(text: string): string;
}

export class MessageLog {
  readonly #parts: LogParts;
  readonly #ids: MessageIds;
  /** Messages that earlier processes sent, by call. */
  readonly #before = new Map<string, StoredMessage>();
  /** Messages from earlier processes that their recipients may or may not have received. */
  readonly #left = new Set<string>();

  constructor(parts: LogParts) {
    this.#parts = parts;
    this.#ids = new MessageIds(parts.now);
  }

  /** Messages that earlier processes sent but did not deliver, oldest first. */
  recover(): readonly StoredMessage[] {
    const open = new Map<string, StoredMessage>();
    const failed = new Set<string>();
    for (const { kind, data } of this.#parts.journal.outside("host")) {
      if (kind !== LINE_KIND) continue;
      const sent = sentLine(data);
      const settled = settledLine(data);
      if (sent) {
        const { state: _sent, call, ...message } = sent;
        this.#ids.use(message.id);
        this.#before.set(keyOf(message.from, call, message.to), message);
        open.set(message.id, message);
      } else if (settled) {
        if (settled.state === "failed") failed.add(settled.id);
        open.delete(settled.id);
      }
    }
    for (const [key, { id }] of this.#before) if (failed.has(id)) this.#before.delete(key);
    for (const id of open.keys()) this.#left.add(id);
    return [...open.values()];
  }

  /** The message that this call already sent in an earlier process. */
  sentBefore(from: string, call: string, to: string): StoredMessage | undefined {
    return this.#before.get(keyOf(from, call, to));
  }

  /** True if the recipient's journal may have the message although this log does not say so. */
  isLeft = ({ id }: StoredMessage): boolean => this.#left.has(id);

  recordSent(message: Pick<StoredMessage, "from" | "to" | "text" | "replyTo">, call: string): StoredMessage {
    const { journal, redact: redacted } = this.#parts;
    const { from, to, replyTo } = message;
    const stored: StoredMessage = {
      id: this.#ids.next(),
      from,
      to,
      text: redacted(message.text),
      entry: journal.newId(),
      ...(replyTo === undefined ? {} : { replyTo }),
    };
    this.#write({ state: "sent", call, ...stored } as unknown as JsonObject);
    return stored;
  }

  recordDelivery(id: string): void {
    this.#left.delete(id);
    this.#write({ state: "delivered", id });
  }

  recordFailure(id: string): void {
    this.#left.delete(id);
    this.#write({ state: "failed", id });
  }

  #write(data: JsonObject): void {
    this.#parts.journal.write({ type: "host", kind: LINE_KIND, data });
  }
}

const keyOf = (from: string, call: string, to: string): string => JSON.stringify([from, call, to]);
