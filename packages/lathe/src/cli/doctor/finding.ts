// One result of `lathe doctor`.

/** `wrong` stops runs; `missing` only costs a convenience. */
export interface Finding {
  readonly state: "good" | "missing" | "wrong";
  readonly name: string;
  /** The result, with the remedy if something is wrong. */
  readonly text: string;
}
