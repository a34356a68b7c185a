// The journal lines that record a session's message queue: what was added, changed or removed, and for which call.

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
  /** The call that returned a cancelled message as its result. */
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

/** What is needed to queue a message again. */
interface Waiting extends Pick<QueueChange, "queue" | "source"> {
  readonly content: InputContent;
  /** The call that had taken it was cut off before the model saw it. */
  readonly isCut: boolean;
}

type QueueLines = Pick<Journal, "outside" | "has" | "openIntents">;

/** Whether a message with this id was ever queued. */
export function wasQueued(journal: QueueLines, id: string): boolean {
  for (const { kind, data } of journal.outside("host"))
    if (kind === QUEUE_KIND && (data as JsonObject | null)?.["id"] === id) return true;
  return false;
}

/** Queued messages by id, in order of arrival. */
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
