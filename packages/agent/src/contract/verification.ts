// What is known of the work of an input when it ends: whether checks have proven it. The model cannot set it.

/** `none`: nothing was changed, or no check covers what was. */
export type WorkVerdict = "verified" | "failed" | "unverified" | "none";

/** A verdict, and why it is not a better one: one sentence each. */
export interface Verification {
  readonly verdict: WorkVerdict;
  readonly reasons: readonly string[];
}
