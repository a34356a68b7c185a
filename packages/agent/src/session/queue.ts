// Messages sent to a session while it works: adds them to its queue, changes them there or takes them back. Journalled,
// so that they survive the process.

import type { InputContent, MessageSource } from "../contract/events/types.ts";
import type { SessionLog, Work } from "./facades.ts";
import type { Delivery } from "./inbox.ts";
import { refuseUnusable, refuseWrongParts } from "./outcome.ts";
import { journalQueued } from "./recovery.ts";

/** Returns the id that the message's entry will have. */
export function enqueue(
  core: SessionLog & Work,
  delivery: Delivery,
  content: InputContent,
  source?: MessageSource,
  id = core.journal.newId(),
): string {
  refuseUnusable(content);
  const message = { id, content, ...(source === undefined ? {} : { source }) };
  core.inbox.add(delivery, message);
  journalQueued(core, delivery, "added", message);
  return message.id;
}

/** Returns false if the message no longer waits. `call`: it becomes the result of this call. */
export function changeQueued(
  core: SessionLog & Work,
  id: string,
  change: "edited" | "cancelled",
  content?: InputContent,
  call?: string,
): boolean {
  if (change === "edited") refuseWrongParts(content as InputContent);
  const delivery = content === undefined ? core.inbox.cancel(id) : core.inbox.edit(id, content);
  if (delivery === undefined) return false;
  const more = { ...(content === undefined ? {} : { content }), ...(call === undefined ? {} : { call }) };
  journalQueued(core, delivery, change, { id, ...more });
  return true;
}
