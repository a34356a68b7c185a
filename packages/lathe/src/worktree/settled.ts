// What became of the changes in the view of a run: data, and the words for it.

/** What can become of the changes. */
export const SETTLE_WAYS = ["land", "branch", "patch", "discard"] as const;
export type SettleWay = (typeof SETTLE_WAYS)[number];

/** What was changed in the view, as of now. */
export interface ViewChanges {
  /** Relative to the project. */
  readonly files: readonly { readonly path: string; readonly change: "added" | "changed" | "deleted" }[];
  /** Too large to be merged, or repositories of their own. */
  readonly leftOut: readonly string[];
  /** They are in a branch or a patch already. */
  readonly isSettled: boolean;
}

/** How a wish to settle the changes ended. With `conflict` and `failed` nothing was written, and all is still in the view. */
export interface Settled {
  readonly how: SettleWay;
  readonly outcome: "landed" | "branch" | "patch" | "discarded" | "nothing" | "conflict" | "failed";
  /** Relative to the project. */
  readonly files: readonly string[];
  readonly branch?: string;
  /** The file with the patch. */
  readonly patch?: string;
  readonly conflicts: readonly { readonly path: string; readonly line?: number; readonly message: string }[];
  /** For people: one line, without the conflicts. */
  readonly message: string;
}

export const isRefused = ({ outcome }: Settled): boolean => outcome === "conflict" || outcome === "failed";

/** One line for each conflict, with the place. */
export const conflictLines = ({ conflicts }: Settled): string[] =>
  conflicts.map(({ path, line, message }) => `${path}${line === undefined ? "" : `:${line}`}: ${message}`);
