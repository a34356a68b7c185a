// A stdout that cannot be written any more, because its reader went away or its disk is full: the run ends as if it were interrupted.

import type { Writable } from "node:stream";

const listeners = new WeakSet<object>();

/** Whether a run takes care of it. Without one, the process ends at once. */
export const isReaderWatched = (stream: Writable): boolean =>
  stream.listeners("error").some((listener) => listeners.has(listener));

/** Calls `end` once. The listener stays, because what is written until the end of the process fails as well. */
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
