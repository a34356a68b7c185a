// What was said to a session that was left before it got there.

import type { InputContent, Session } from "@lathe/agent";

export type Unsent = readonly InputContent[];

/** What waits to be said, which is then no longer queued. */
export function takeQueued(session: Session): Unsent {
  const queued = (["steering", "follow_up"] as const).flatMap((delivery) => session.queued(delivery));
  for (const { id } of queued) session.cancelQueued(id);
  return queued.map(({ content }) => content);
}
