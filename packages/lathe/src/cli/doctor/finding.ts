// What `lathe doctor` says of one thing.

/** `wrong` stops runs; `missing` only costs a convenience. */
export interface Finding {
  readonly state: "good" | "missing" | "wrong";
  readonly name: string;
  /** What was found, and what to do when it is not right. */
  readonly text: string;
}
