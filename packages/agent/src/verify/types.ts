// What a verification is asked for and what it finds: data only.

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
  /** Where it was defined, for the user: `--check`, `the setting checks`, `package.json`. */
  readonly source: string;
}

/** One file before and after the work, by its absolute path. */
export type Change = LandingStep;

/** Where checks run. */
export interface VerifyPlace
  extends Pick<ViewRequest, "root" | "store" | "host" | "sandbox" | "container" | "personalIgnores"> {
  /** The folder in the root where checks run; the root itself when absent. Globs and names are relative to it. */
  readonly cwd?: string | undefined;
  /** A prefix for the names of views in the store; unique among concurrent verifications. */
  readonly id: string;
  /** The allowed kinds of views, best first. When absent, those that include ignored files: overlay and reflink. */
  readonly kinds?: readonly ViewKind[] | undefined;
  /** Where a check runs if no view is possible. If absent, the verification then fails. */
  readonly project?: ExecutionEnvironment | undefined;
}

/**
 * The files a check runs with: the current ones, with those that it rests on restored, or the new tests with the old
 * code.
 */
export type RunOf = "now" | "old tests" | "old code";

/** A check is about to run. */
export interface StartedRun {
  readonly command: string;
  readonly of: RunOf;
}

/** A check that has run. */
export interface CheckRun extends StartedRun {
  readonly passed: boolean;
  /** -1 if a signal ended it. */
  readonly exitCode: number;
  readonly timedOut: boolean;
  /** Head and tail of its output. */
  readonly output: string;
  /** SHA-256 of `output`. */
  readonly outputDigest: string;
  readonly durationMs: number;
}

/** The files when the work began, by absolute path; links have the content of their target. */
export interface FilesBefore {
  readonly files: readonly string[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

/** What to verify. */
export interface VerifyRequest {
  readonly place: VerifyPlace;
  readonly checks: readonly Check[];
  readonly changes: readonly Change[];
  /** Run the checks even if nothing was changed. */
  readonly runsUnchanged?: boolean | undefined;
  /** True if the project's files already have the changes; otherwise they are made in the view. */
  readonly isOnDisk: boolean;
  /** Globs of further files that checks rest on. */
  readonly tests?: readonly string[] | undefined;
  /** Absent if the beginning is unknown: then all tests count as old. */
  readonly before?: (() => FilesBefore) | undefined;
  /**
   * When the work began, in milliseconds: later changes outside of the tree are suspicious. If absent, we do not look
   * for them.
   */
  readonly since?: number | undefined;
  /** The user's home folder, because configuration there affects how programs run. */
  readonly home?: string | undefined;
  /** Called before each run, so that a recorded run has either happened or was cut off. */
  readonly onStart?: ((run: StartedRun) => void) | undefined;
  readonly signal: AbortSignal;
}

/** What happened to a file that checks rest on. */
export type TestFate = "deleted" | "skipped" | "weakened" | "replaced" | "changed" | "added";

/** A file that checks rest on and that the work changed. */
export interface NamedTest {
  /** Relative to where checks run. */
  readonly path: string;
  readonly fate: TestFate;
}

/** The verdict with its evidence. */
export interface VerifyReport extends Verification {
  readonly runs: readonly CheckRun[];
  /** Changed files that checks rest on. */
  readonly named: readonly NamedTest[];
  /** New tests that pass with the old code too. */
  readonly idle: readonly string[];
  /** Changed files that a check covers, and changed files without a check; relative to where checks run. */
  readonly covered: readonly string[];
  readonly uncovered: readonly string[];
  /** Where the checks ran: the kind of the view, or the project itself. */
  readonly ranIn: ViewKind | "project" | undefined;
}
