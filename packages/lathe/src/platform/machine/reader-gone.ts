// A stdout that cannot be written any more, because its reader went away or its disk is full: the run ends as if it were interrupted.

import type { Writable } from "node:stream";

/** Calls `end` once. The listener stays, because what is written until the end of the process fails as well. */
export function onReaderGone(stdout: Writable, end: () => void): void {
  let isGone = false;
  stdout.on("error", () => {
    if (isGone) return;
    isGone = true;
    end();
  });
}
