// The view that a whole run works in (`--worktree`), as its hosts see it: what was changed in it, what became of that, and the words for it.

import type { ExecutionEnvironment } from "@lathe/agent";
import type { Change } from "@lathe/agent/verify";

/** What can become of the changes. */
export const SETTLE_WAYS = ["land", "branch", "patch", "discard"] as const;
export type SettleWay = (typeof SETTLE_WAYS)[number];

/** What was changed in the view, as of now. */
export interface ViewChanges {
  /** Relative to the project. */
  readonly files: readonly { readonly path: string; readonly change: "added" | "changed" | "deleted" }[];
  /** What no landing brings back, such as ignored and very large files. */
  readonly leftOut: readonly string[];
  /** For people: one sentence with the reasons; absent when nothing is left out. */
  readonly leftOutLine?: string;
  /** Some of it cannot be made again as ignored files can. */
  readonly isMissed: boolean;
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

/** Why these files of the project may not be written, or nothing. */
export type LandingPermit = (files: readonly string[]) => Promise<string | undefined>;

/** Opened by `worktree/run-view.ts`. */
export interface RunView {
  readonly id: string;
  readonly kind: string;
  /** Where the tools of the run work. It outlives the sessions of the run. */
  readonly env: ExecutionEnvironment;
  /** What a person types to go on in it. */
  readonly toContinue: string;
  /** With a name of the user's own, a run without a person ends in a branch. */
  readonly isNamed: boolean;
  /** Each wish that was carried out, or could not be. */
  onSettled: (settled: Settled) => void;
  changes(): Promise<ViewChanges>;
  /** What was changed, file by file with contents, and a name for the whole. */
  work(): Promise<{ readonly tree: string; readonly changes: readonly Change[] }>;
  /** All of it as a patch. */
  diff(): Promise<string>;
  /** The run may go on in the view afterwards, whatever was chosen. `permit` is asked before the project's files are written. */
  settle(how: SettleWay, permit: LandingPermit): Promise<Settled>;
  /** Ends what runs in the view. Changes that were neither applied nor dropped are kept, and the sentence says so. */
  leave(): Promise<string | undefined>;
}
