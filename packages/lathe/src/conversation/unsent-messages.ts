// Messages that were queued in a session when the conversation left it.

import type { InputContent, QueuedMessage, Session } from "@lathe/agent";

export type Unsent = readonly InputContent[];

/** Whether the user wrote the message: reports of background jobs wait in the same queue. */
export const isOwn = ({ source }: Pick<QueuedMessage, "source">): boolean =>
  source === undefined || source.kind === "user";

/** Removes the user's queued messages from the queue and returns them. */
export function takeQueued(session: Session): Unsent {
  const queued = (["steering", "follow_up"] as const).flatMap((delivery) =>
    session.queuedMessages(delivery).filter(isOwn),
  );
  for (const { id } of queued) session.cancelQueued(id);
  return queued.map(({ content }) => content);
}

/** After an input that ended like this, the next queued message runs. */
const RUNS_ON: ReadonlySet<string | undefined> = new Set([
  undefined,
  "completed",
  "round_limit",
  "turn_limit",
  "context_overflow",
]);

/** Whether an earlier process ended between an input and the queued message after it; `continue` runs that message. */
export function hasLeftMessages(session: Session): boolean {
  const { input } = session.journal;
  if (session.state !== "idle" || session.hasUnfinishedInput || input?.state === "start") return false;
  const left = (["steering", "follow_up"] as const).flatMap((delivery) => session.queuedMessages(delivery));
  // The message's input had begun, but the process ended before the message was written.
  const hasNotBegun = left.some(({ id }) => id === input?.entryId);
  return (hasNotBegun || RUNS_ON.has(input?.reason)) && left.some(isOwn);
}
