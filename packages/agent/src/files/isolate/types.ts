// What views and landings are to the code that uses them: data, and the few things a view can do.

import type { LocalEnvironmentOptions } from "../../world/env/local.ts";
import type { SandboxOptions } from "../../world/env/sandbox/sandboxed-local.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";

/** How a view keeps its files apart from those of the project. */
export type ViewKind = "overlay" | "reflink" | "worktree" | "container" | "none";

/** All kinds, best first. */
export const VIEW_KINDS: readonly ViewKind[] = ["overlay", "reflink", "worktree", "container", "none"];

/** What every command of a view has in common with those of its host. */
export type ViewHost = Omit<LocalEnvironmentOptions, "cwd" | "roots" | "confinement">;

/** The container that a view of that kind runs. */
export interface ViewContainer {
  readonly image: string;
  /** `podman` when absent. */
  readonly cli?: string | undefined;
  /** Arguments before the subcommand. */
  readonly cliArgs?: readonly string[] | undefined;
  /** Arguments of `run`, such as `--network=none`. */
  readonly runArgs?: readonly string[] | undefined;
}

/** A view to open. */
export interface ViewRequest {
  /** Absolute real path of the folder that the view stands for. */
  readonly root: string;
  readonly kind: ViewKind | "auto";
  /** Names it in the store; unique there, and safe as a file name. */
  readonly id: string;
  /** A folder of ours outside of the root, for everything that belongs to views. */
  readonly store: string;
  readonly host: ViewHost;
  /** Commands are confined as well, with only the view writable. */
  readonly sandbox?: Omit<SandboxOptions, keyof ViewHost | "cwd" | "roots" | "namespaces"> | undefined;
  readonly container?: ViewContainer | undefined;
  /** Text of the person's own ignore file. */
  readonly personalIgnores?: string | undefined;
  /** What was changed in it outlives the process: until it is closed, it can be continued. */
  readonly isKept?: boolean | undefined;
  /** Whose work it is, of a view that is kept: a process that finds it left can make a patch of it. */
  readonly agent?: ViewAgent | undefined;
  readonly signal: AbortSignal;
}

/** An agent that works in a view. */
export interface ViewAgent {
  readonly id: string;
  /** Where patches of its work are kept; absolute. */
  readonly patches: string;
}

/** A place to work in that looks like the project and is not. */
export interface View {
  readonly id: string;
  readonly kind: ViewKind;
  /** What `auto` passed over, and why: one sentence for each. Empty when nothing was. */
  readonly passedOver: readonly string[];
  /** Works inside; its working directory is the root, or where the view lies when it cannot be shown there. */
  readonly env: ExecutionEnvironment;
  /** What has changed in it, as of now. Can be landed as long as the view is open. */
  delta(): Promise<Delta>;
  /**
   * Brings in what the project has become: merged, with conflict markers where both sides changed the same lines. From then on deltas
   * are against that. Returns what the user or the agent has to decide.
   */
  rebase(): Promise<readonly LandingConflict[]>;
  /** Takes back what was changed in it: its files are those of the project as it is now. Ignored files stay. */
  reset(): Promise<void>;
  /** Ends what runs inside. What was changed stays in the store, for `continueView`; only of one that is kept. */
  leave(): Promise<void>;
  /** What was changed in it is in a safe place: it does not outlive the process any more. */
  unkeep(): void;
  /** Ends what runs inside and removes everything. Idempotent. */
  close(): Promise<void>;
}

/** What a view changed, against what the project was when it was opened. */
export interface Delta {
  readonly id: string;
  /** One for each repository: the one around the root, and those nested in it. */
  readonly parts: readonly DeltaPart[];
  /** Files of the project that the user or another process changed below the view while it was open; absolute paths. */
  readonly changedBelow: readonly string[];
  /** What the view changed and no landing brings back. It stays in the view, and is gone with it. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Why something does not land: git ignores it, it is larger than 64 MiB, a repository that the view made or removed, a pipe, socket
 * or device, a file or folder that we may not read, a folder without files, a name that is not UTF-8.
 */
export type LeftOutReason = "ignored" | "large" | "repository" | "special" | "unreadable" | "empty" | "name";

/** A file or a whole folder that does not land. */
export interface LeftOut {
  /** Absolute. */
  readonly path: string;
  readonly why: LeftOutReason;
}

/** The changes in one repository. */
export interface DeltaPart {
  /** The folder that `changes` are relative to, absolute. */
  readonly top: string;
  /** Trees of the files before and after, by their object names. */
  readonly base: string;
  readonly tree: string;
  /** Folder of the git store that has these objects; gone with the view. */
  readonly gitDir: string;
  /** The index that `base` was made from. */
  readonly baseIndex: string;
  /** Ignore rules beside those of the tree. */
  readonly excludes: string;
  readonly objectFormat: "sha1" | "sha256";
  readonly changes: readonly DeltaChange[];
}

/** One file that a view changed. */
export interface DeltaChange {
  readonly path: string;
  readonly kind: "added" | "changed" | "deleted";
}

/** A file that could not be merged or written. */
export interface LandingConflict {
  /** The delta's id; absent when the landing as a whole could not write the file. */
  readonly id?: string;
  /** Absolute. */
  readonly path: string;
  /** `content`: both sides changed the same lines; others say in `message` what is in the way. */
  readonly kind: "content" | "structure" | "changed" | "forbidden";
  /** For people and models: one line. */
  readonly message: string;
  /** The regions of a content conflict. */
  readonly regions: readonly LandingRegion[];
}

/** Lines of a file as the project has them now and as the view left them. */
export interface LandingRegion {
  /** 1-based, in the project's file; of the first of `ours`, or of the line before which `theirs` would be. */
  readonly line: number;
  readonly ours: string;
  readonly theirs: string;
}

/** A file that a landing writes, and how to tell that it did. */
export interface LandedFile {
  readonly path: string;
  readonly sign: string;
}

/** How a landing ended. `conflict`, `red` and `refused` have changed nothing. */
export type LandingResult =
  | { readonly kind: "nothing" }
  | { readonly kind: "landed"; readonly files: readonly string[]; readonly branches: readonly string[] }
  | { readonly kind: "conflict"; readonly conflicts: readonly LandingConflict[] }
  | { readonly kind: "red"; readonly exitCode: number; readonly output: string }
  | { readonly kind: "refused"; readonly why: string };
