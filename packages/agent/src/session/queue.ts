// What is said to a session while it works: put into its queue, changed there or taken back. Journalled, so that it survives the process.

import type { InputContent, MessageSource } from "../contract/events/types.ts";
import type { SessionLog, Work } from "./facades.ts";
import type { Delivery } from "./inbox.ts";
import { refuseBlank } from "./outcome.ts";
import { journalQueued } from "./recovery.ts";

/** Returns the id that its entry will have. */
export function enqueue(
  core: SessionLog & Work,
  delivery: Delivery,
  content: InputContent,
  source?: MessageSource,
  id = core.journal.newId(),
): string {
  refuseBlank(content);
  const message = { id, content, ...(source === undefined ? {} : { source }) };
  core.inbox.add(delivery, message);
  journalQueued(core, delivery, "added", message);
  return message.id;
}

/** False when it does not wait any more. `call`: it becomes the result of this call. */
export function changeQueued(
  core: SessionLog & Work,
  id: string,
  change: "edited" | "cancelled",
  content?: InputContent,
  call?: string,
): boolean {
  const delivery = content === undefined ? core.inbox.cancel(id) : core.inbox.edit(id, content);
  if (delivery === undefined) return false;
  const more = { ...(content === undefined ? {} : { content }), ...(call === undefined ? {} : { call }) };
  journalQueued(core, delivery, change, { id, ...more });
  return true;
}
