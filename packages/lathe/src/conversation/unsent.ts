// What was said to a session that was left before it got there.

import type { InputContent, QueuedMessage, Session } from "@lathe/agent";

export type Unsent = readonly InputContent[];

/** It was said by the person: reports of background jobs wait in the same queue. */
export const isOwn = ({ source }: Pick<QueuedMessage, "source">): boolean =>
  source === undefined || source.kind === "user";

/** What waits to be said, which is then no longer queued. */
export function takeQueued(session: Session): Unsent {
  const queued = (["steering", "follow_up"] as const).flatMap((delivery) =>
    session.queuedMessages(delivery).filter(isOwn),
  );
  for (const { id } of queued) session.cancelQueued(id);
  return queued.map(({ content }) => content);
}
