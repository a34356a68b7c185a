// What a verification is asked for with and what it finds: data only.

import type { Verification } from "../contract/verification.ts";
import type { LandingStep } from "../files/isolate/landing-journal.ts";
import type { ViewKind, ViewRequest } from "../files/isolate/types.ts";
import type { ExecutionEnvironment } from "../world/env/types.ts";

/** A command that proves something about files. */
export interface Check {
  readonly command: string;
  /** Globs as in `rg --glob`, relative to where it runs; all files when absent. */
  readonly covers?: readonly string[] | undefined;
  readonly timeoutMs: number;
  /** Where it was found, for people: `--check`, `the setting checks`, `package.json`. */
  readonly source: string;
}

/** One file before and after the work, by its absolute path. */
export type Change = LandingStep;

/** Where checks run. */
export interface VerifyPlace
  extends Pick<ViewRequest, "root" | "store" | "host" | "sandbox" | "container" | "personalIgnores"> {
  /** Where checks run: a folder in the root; the root itself when absent. Globs and names are relative to it. */
  readonly cwd?: string | undefined;
  /** Begins the names of views in the store; unique among what runs at a time. */
  readonly id: string;
  /** Kinds of views that may be used, best first. When absent those that have ignored files: overlay and reflink. */
  readonly kinds?: readonly ViewKind[] | undefined;
  /** Where a check runs when there can be no view. Absent: the verification fails then. */
  readonly project?: ExecutionEnvironment | undefined;
}

/** Which files a check is run with: as they are, with what it rests on put back, or the new tests with the code of before. */
export type RunOf = "now" | "old tests" | "old code";

/** A check is about to run. */
export interface StartedRun {
  readonly command: string;
  readonly of: RunOf;
}

/** A check that has run. */
export interface CheckRun extends StartedRun {
  readonly passed: boolean;
  /** -1 when it was ended by a signal. */
  readonly exitCode: number;
  readonly timedOut: boolean;
  /** Head and tail of what it printed. */
  readonly output: string;
  /** SHA-256 of `output`. */
  readonly outputDigest: string;
  readonly durationMs: number;
}

/** The files when the work began, by their absolute paths; links have what they point to. */
export interface FilesBefore {
  readonly files: readonly string[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

/** What to verify. */
export interface VerifyRequest {
  readonly place: VerifyPlace;
  readonly checks: readonly Check[];
  readonly changes: readonly Change[];
  /** The checks run although nothing was changed. */
  readonly runsUnchanged?: boolean | undefined;
  /** The project's files have the changes already; otherwise they are made in the view. */
  readonly isOnDisk: boolean;
  /** Globs of further files that checks rest on. */
  readonly tests?: readonly string[] | undefined;
  /** Absent where the beginning is not known: then tests count as having been there. */
  readonly before?: (() => FilesBefore) | undefined;
  /** When the work began, in milliseconds: what was changed outside of the tree since then is suspicious. Absent: not looked at. */
  readonly since?: number | undefined;
  /** The user's home folder: configuration there decides how programs run. */
  readonly home?: string | undefined;
  /** Called before each run: what is written down here has happened, or was cut off. */
  readonly onStart?: ((run: StartedRun) => void) | undefined;
  readonly signal: AbortSignal;
}

/** What became of a file that checks rest on. */
export type TestFate = "deleted" | "skipped" | "weakened" | "replaced" | "changed" | "added";

/** A file that checks rest on and that the work has changed. */
export interface NamedTest {
  /** Relative to where checks run. */
  readonly path: string;
  readonly fate: TestFate;
}

/** The verdict with its evidence. */
export interface VerifyReport extends Verification {
  readonly runs: readonly CheckRun[];
  /** Files that checks rest on and that were changed. */
  readonly named: readonly NamedTest[];
  /** New tests that pass on the code of before as well. */
  readonly idle: readonly string[];
  /** Changed files that a check covers, and those that none does; relative to where checks run. */
  readonly covered: readonly string[];
  readonly uncovered: readonly string[];
  /** Where the checks ran: the kind of the view, or the project itself. */
  readonly ranIn: ViewKind | "project" | undefined;
}
