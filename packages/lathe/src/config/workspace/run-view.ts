// The isolated copy that a whole run works in (`--worktree`), as its hosts see it: what changed in it, what became of
// the changes, and the words for that.

import type { ExecutionEnvironment } from "@lathe/agent";
import type { Change } from "@lathe/agent/verify";

/** The ways to deal with the changes. */
export const SETTLE_WAYS = ["land", "branch", "patch", "discard"] as const;
export type SettleWay = (typeof SETTLE_WAYS)[number];

/** The changes in the isolated copy so far. */
export interface ViewChanges {
  /** Paths are relative to the project. */
  readonly files: readonly { readonly path: string; readonly change: "added" | "changed" | "deleted" }[];
  /** Files that applying does not bring back, such as ignored and very large ones. */
  readonly leftOut: readonly string[];
  /** One sentence for the user with the reasons; absent if nothing is left out. */
  readonly leftOutLine?: string;
  /** Whether some of these files, unlike ignored ones, cannot be created again. */
  readonly isMissed: boolean;
  /** Whether the changes are already in a branch or a patch. */
  readonly isSettled: boolean;
}

/**
 * The outcome of `settle`. After `conflict` and `failed` nothing was written and the isolated copy still has
 * everything.
 */
export interface Settled {
  readonly how: SettleWay;
  readonly outcome: "landed" | "branch" | "patch" | "discarded" | "nothing" | "conflict" | "failed";
  /** Paths are relative to the project. */
  readonly files: readonly string[];
  readonly branch?: string;
  /** The file with the patch. */
  readonly patch?: string;
  readonly conflicts: readonly { readonly path: string; readonly line?: number; readonly message: string }[];
  /** One line for the user, without the conflicts. */
  readonly message: string;
}

export const isRefused = ({ outcome }: Settled): boolean => outcome === "conflict" || outcome === "failed";

/** One line per conflict, with its position. */
export const conflictLines = ({ conflicts }: Settled): string[] =>
  conflicts.map(({ path, line, message }) => `${path}${line === undefined ? "" : `:${line}`}: ${message}`);

/** Returns why these files of the project may not be written, or undefined. */
export type LandingPermit = (files: readonly string[]) => Promise<string | undefined>;

/** `worktree/run-view.ts` opens it. */
export interface RunView {
  readonly id: string;
  readonly kind: string;
  /** Where the run's tools work. It outlives the run's sessions. */
  readonly env: ExecutionEnvironment;
  /** The command with which the user continues in it. */
  readonly toContinue: string;
  /** Whether the user named it: then a run without a user ends in a branch. */
  readonly isNamed: boolean;
  /** Called with each outcome of `settle`, successful or not. */
  onSettled: (settled: Settled) => void;
  changes(): Promise<ViewChanges>;
  /** The changes file by file with contents, and an id for the whole. */
  work(): Promise<{ readonly tree: string; readonly changes: readonly Change[] }>;
  /** All changes as a patch. */
  diff(): Promise<string>;
  /**
   * The run may continue in the isolated copy afterwards, whatever was chosen. `permit` is called before the project's
   * files are written.
   */
  settle(how: SettleWay, permit: LandingPermit): Promise<Settled>;
  /**
   * Ends what runs in the isolated copy. Changes that were neither applied nor dropped are kept, and the returned
   * sentence says so.
   */
  leave(): Promise<string | undefined>;
}
