// The lines of a journal that tell what waits in the queue of its session: what was put there, changed, or taken out, and for which call.

import type { JsonObject } from "@lathe/llm";
import { Checker, choice, oneOf, openObject, optional, text } from "@lathe/llm/schema";
import type { InputContent, MessageSource } from "../../contract/events/types.ts";
import type { Journal } from "./journal.ts";
import { contentShape, entryId, sourceShape } from "./line-shapes.ts";

export const QUEUE_KIND = "queue";
export interface QueueChange {
  readonly queue: "steering" | "follow_up";
  readonly change: "added" | "edited" | "cancelled";
  readonly id: string;
  readonly content?: InputContent;
  readonly source?: MessageSource;
  /** The call whose result a cancelled message is. */
  readonly call?: string;
}
const QUEUED = new Checker(
  openObject({
    queue: choice(["steering", "follow_up"]),
    change: choice(["added", "edited", "cancelled"]),
    id: entryId,
    content: optional(oneOf(text(), contentShape)),
    source: optional(sourceShape),
    call: optional(text()),
  }),
);

/** What a message needs to wait again. */
interface Waiting extends Pick<QueueChange, "queue" | "source"> {
  readonly content: InputContent;
  /** The call that had taken it was cut off before it showed it to the model. */
  readonly isCut: boolean;
}

type QueueLines = Pick<Journal, "outside" | "has" | "openIntents">;

/** Whether a message of this id was ever taken into the queue. */
export function wasQueued(journal: QueueLines, id: string): boolean {
  for (const { kind, data } of journal.outside("host"))
    if (kind === QUEUE_KIND && (data as JsonObject | null)?.["id"] === id) return true;
  return false;
}

/** Waiting messages by id, in the order in which they came. */
export function queuedIn(journal: QueueLines): ReadonlyMap<string, Waiting> {
  const waiting = new Map<string, Waiting>();
  const cutCalls = new Set(journal.openIntents().flatMap(({ callId }) => callId ?? []));
  for (const line of journal.outside("host")) {
    if (line.kind !== QUEUE_KIND || !QUEUED.fits(line.data)) continue;
    const { queue, change, id, content = "", source, call } = line.data as unknown as QueueChange;
    if (journal.has(id)) continue;
    const known = waiting.get(id);
    if (known && call !== undefined && cutCalls.has(call)) waiting.set(id, { ...known, isCut: true });
    else if (change === "cancelled") waiting.delete(id);
    else if (change === "added" && !known)
      waiting.set(id, { queue, content, isCut: false, ...(source ? { source } : {}) });
    else if (change === "edited" && known) waiting.set(id, { ...known, content });
  }
  return waiting;
}
