// Readers of events at the end of an input: those that keep up have read it before its giver hears of it.

import type { HostChoices, SessionLog } from "./facades.ts";

/** How long the end of an input waits for readers that lag behind. */
const READERS_MS = 1_000;

/** A reader that is slow for reasons of its own is not waited for long. */
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
