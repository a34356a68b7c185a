// Lands a change, and retries if files changed during the landing.

import { type LandRequest, land } from "./land.ts";
import type { LandingResult } from "./types.ts";

/** Another process may write to the same files while a landing is being prepared. */
const MOST_TRIES = 3;

/** Lands all deltas or none; retries if files changed in between. */
export async function landWithRetries(request: LandRequest): Promise<LandingResult> {
  for (let tries = 1; ; tries++) {
    const result = await land(request);
    const isPassing = result.kind === "conflict" && result.conflicts.every(({ kind }) => kind === "changed");
    if (!isPassing || tries === MOST_TRIES) return result;
  }
}
