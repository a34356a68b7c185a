// The interface of views and landings: data, and the operations of a view.

import type { LocalEnvironmentOptions } from "../../world/env/local.ts";
import type { SandboxOptions } from "../../world/env/sandbox/sandboxed-local.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";

/** How a view separates its files from the project's. */
export type ViewKind = "overlay" | "reflink" | "worktree" | "container" | "none";

/** All kinds, best first. */
export const VIEW_KINDS: readonly ViewKind[] = ["overlay", "reflink", "worktree", "container", "none"];

/** What every command of a view has in common with commands of its host. */
export type ViewHost = Omit<LocalEnvironmentOptions, "cwd" | "roots" | "confinement">;

/** The container of a container view. */
export interface ViewContainer {
  readonly image: string;
  /** `podman` if absent. */
  readonly cli?: string | undefined;
  /** Arguments before the subcommand. */
  readonly cliArgs?: readonly string[] | undefined;
  /** Arguments of `run`, such as `--network=none`. */
  readonly runArgs?: readonly string[] | undefined;
}

/** A view to open. */
export interface ViewRequest {
  /** Absolute real path of the folder that the view represents. */
  readonly root: string;
  readonly kind: ViewKind | "auto";
  /** Its name in the store; unique there, and safe as a file name. */
  readonly id: string;
  /** A folder of ours outside the root, for all data of views. */
  readonly store: string;
  readonly host: ViewHost;
  /** Also confine commands, with only the view writable. */
  readonly sandbox?: Omit<SandboxOptions, keyof ViewHost | "cwd" | "roots" | "namespaces"> | undefined;
  readonly container?: ViewContainer | undefined;
  /** Text of the user's global ignore file. */
  readonly personalIgnores?: string | undefined;
  /** Its changes outlive the process: until it is closed, it can be continued. */
  readonly isKept?: boolean | undefined;
  /** The agent that works in a kept view: a process that finds the view left can make a patch of its work. */
  readonly agent?: ViewAgent | undefined;
  readonly signal: AbortSignal;
}

/** An agent that works in a view. */
export interface ViewAgent {
  readonly id: string;
  /** Where patches of its work are stored; absolute. */
  readonly patches: string;
}

/** A place to work in that looks like the project but is separate from it. */
export interface View {
  readonly id: string;
  readonly kind: ViewKind;
  /** The kinds that `auto` skipped, and why: one sentence each. Empty if none. */
  readonly passedOver: readonly string[];
  /** Works inside; its working directory is the root, or the view's own location if it cannot be mounted there. */
  readonly env: ExecutionEnvironment;
  /** The changes so far. They can be landed while the view is open. */
  delta(): Promise<Delta>;
  /**
   * Merges the current project into the view, with conflict markers where both sides changed the same lines. From then
   * on, deltas are relative to that. Returns the conflicts that the user or the agent must resolve.
   */
  rebase(): Promise<readonly LandingConflict[]>;
  /** Discards the changes in the view: its files are those of the current project. Ignored files stay. */
  reset(): Promise<void>;
  /** Ends what runs inside. The changes stay in the store, for `continueView`; only for a view that is kept. */
  leave(): Promise<void>;
  /** Its changes are safe elsewhere: the view no longer outlives the process. */
  unkeep(): void;
  /** Ends what runs inside and removes everything. Idempotent. */
  close(): Promise<void>;
}

/** What a view changed, relative to the project when it was opened. */
export interface Delta {
  readonly id: string;
  /** One per repository: the one around the root, and those nested in it. */
  readonly parts: readonly DeltaPart[];
  /**
   * Files of the project that the user or another process changed outside the view while it was open; absolute paths.
   */
  readonly changedBelow: readonly string[];
  /** Changes of the view that do not land. They stay in the view, and vanish with it. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Why something does not land: git ignores it, it is larger than 64 MiB, a repository that the view created or removed,
 * a pipe, socket or device, a file or folder that we may not read, a folder without files, a name that is not UTF-8.
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
  /** Object names of the trees before and after. */
  readonly base: string;
  readonly tree: string;
  /** Folder of the git store with these objects; it vanishes with the view. */
  readonly gitDir: string;
  /** The index that `base` was created from. */
  readonly baseIndex: string;
  /** Ignore rules in addition to those of the tree. */
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
  /** The delta's id; absent if the landing as a whole could not write the file. */
  readonly id?: string;
  /** Absolute. */
  readonly path: string;
  /** `content`: both sides changed the same lines; for other kinds, `message` says what is in the way. */
  readonly kind: "content" | "structure" | "changed" | "forbidden";
  /** One line, for users and models. */
  readonly message: string;
  /** The regions of a content conflict. */
  readonly regions: readonly LandingRegion[];
}

/** Lines of a file as they are now in the project, and as the view left them. */
export interface LandingRegion {
  /** 1-based line in the project's file: the first of `ours`, or the line before which `theirs` would be inserted. */
  readonly line: number;
  readonly ours: string;
  readonly theirs: string;
}

/** A file that a landing writes, and how to check that it did. */
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
