// Numbers as the transcript shows them.

import { elapsedTime } from "@lathe/tui";

/** The duration of something that has ended. */
export const durationText = (ms: number): string => (ms < 60_000 ? `${(ms / 1000).toFixed(1)}s` : elapsedTime(ms));
