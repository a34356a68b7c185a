// Whether checks have proven the work of an input when it ends. The model cannot set this.

/** `none`: nothing was changed, or no check covers the changes. */
export type WorkVerdict = "verified" | "failed" | "unverified" | "none";

/** A verdict, and the reasons why it is not better, one sentence each. */
export interface Verification {
  readonly verdict: WorkVerdict;
  readonly reasons: readonly string[];
}
