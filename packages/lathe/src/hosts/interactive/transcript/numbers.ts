// Numbers as a transcript tells them.

import { elapsedTime } from "@lathe/tui";

/** How long something took that is over. */
export const took = (ms: number): string => (ms < 60_000 ? `${(ms / 1000).toFixed(1)}s` : elapsedTime(ms));
