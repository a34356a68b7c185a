// Messages of other agents, which wait in the session's queue like everything else that reaches it from outside.

import { frameMessage, textIn } from "../agents/irc/message.ts";
import type { Mailbox, StoredMessage } from "../agents/irc/types.ts";
import { textOfContent } from "../base/text/content.ts";
import type { IrcMessage } from "../contract/irc.ts";
import { wasQueued } from "../record/journal/queue-lines.ts";
import type { SessionLog, Work } from "./facades.ts";
import type { QueuedMessage } from "./inbox.ts";
import { changeQueued, enqueue } from "./queue.ts";

export class SessionMailbox implements Mailbox {
  readonly #core: SessionLog & Work;

  constructor(core: SessionLog & Work) {
    this.#core = core;
  }

  put(message: StoredMessage, isAgain: boolean, note?: string): void {
    const core = this.#core;
    const { id: messageId, entry, from, replyTo } = message;
    if (isAgain && (core.journal.has(entry) || wasQueued(core.journal, entry))) return;
    const source = { kind: "agent", id: from, type: "irc:incoming", messageId } as const;
    enqueue(
      core,
      "steering",
      frameMessage(message, note),
      replyTo === undefined ? source : { ...source, replyTo },
      entry,
    );
  }

  unread(): readonly IrcMessage[] {
    return this.#waitingMessages().map(({ content, source }) => ({
      id: source?.messageId ?? "",
      from: source?.id ?? "",
      text: textIn(textOfContent(content)),
      ...(source?.replyTo === undefined ? {} : { replyTo: source.replyTo }),
    }));
  }

  take(id: string, callId: string): void {
    this.#remove(id, callId);
  }

  drop(id: string): void {
    this.#remove(id);
  }

  #remove(id: string, callId?: string): void {
    const found = this.#waitingMessages().find(({ source }) => source?.messageId === id);
    if (found) changeQueued(this.#core, found.id, "cancelled", undefined, callId);
  }

  #waitingMessages(): readonly QueuedMessage[] {
    return this.#core.inbox.list("steering").filter(({ source }) => source?.type === "irc:incoming");
  }
}
