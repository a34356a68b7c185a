// Lets readers of events catch up at the end of an input, so that those that keep up have read the end before the
// input's sender learns of it.

import type { HostChoices, SessionLog } from "./facades.ts";

/** How long the end of an input waits for readers that lag. */
const READERS_MS = 1_000;

/** Readers that are slow for their own reasons delay us only briefly. */
export async function readersCatchUp({ events, deps }: SessionLog & HostChoices, firstEvent: number): Promise<void> {
  const pending = events.caughtUp(firstEvent);
  if (!pending) return;
  await new Promise<void>((resolve) => {
    const timer = deps.setTimer(resolve, READERS_MS);
    void pending.then(() => {
      timer.cancel();
      resolve();
    });
  });
}
