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

/** After such an end the next message of the queue has its turn. */
const RUNS_ON: ReadonlySet<string | undefined> = new Set([
  undefined,
  "completed",
  "round_limit",
  "turn_limit",
  "context_overflow",
]);

/** An earlier process ended between an input and the message that was to follow it: `continue` gives that one its turn. */
export function hasLeftMessages(session: Session): boolean {
  const { input } = session.journal;
  if (session.state !== "idle" || session.hasUnfinishedInput || input?.state === "start") return false;
  const left = (["steering", "follow_up"] as const).flatMap((delivery) => session.queuedMessages(delivery));
  // Its input had begun, and the process ended before the message itself was written.
  const hasNotBegun = left.some(({ id }) => id === input?.entryId);
  return (hasNotBegun || RUNS_ON.has(input?.reason)) && left.some(isOwn);
}
