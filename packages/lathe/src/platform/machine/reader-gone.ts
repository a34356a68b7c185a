// Handles a stdout that can no longer be written, because its reader went away or its disk is full: the run ends as if
// it were interrupted.

import type { Writable } from "node:stream";

const listeners = new WeakSet<object>();

/** Whether a run handles this case. If not, the process ends at once. */
export const isReaderWatched = (stream: Writable): boolean =>
  stream.listeners("error").some((listener) => listeners.has(listener));

/** Calls `end` once. The listener stays, because later writes fail as well. */
export function onReaderGone(stdout: Writable, end: (error: NodeJS.ErrnoException) => void): void {
  let isGone = false;
  const listener = (error: NodeJS.ErrnoException): void => {
    if (isGone) return;
    isGone = true;
    end(error);
  };
  listeners.add(listener);
  stdout.on("error", listener);
}
