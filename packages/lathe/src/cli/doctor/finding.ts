// One result of `lathe doctor`.

/** `wrong` stops runs; `missing` only costs a convenience. */
export interface Finding {
  readonly state: "good" | "missing" | "wrong";
  readonly name: string;
  /** What was found, and what to do if something is wrong. */
  readonly text: string;
}
