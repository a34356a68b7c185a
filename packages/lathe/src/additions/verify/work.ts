// The changes of a session's work, for verification: in the project's files, or in the isolated copy of the whole run.

import { type ExecutionEnvironment, FileBlobs, MemoryBlobs } from "@lathe/agent";
import { repositoryOf } from "@lathe/agent/files";
import { isInside } from "@lathe/agent/policy";
import { type Change, type FilesBefore, restsOn, TreeWatch } from "@lathe/agent/verify";
import { snapshotOptions } from "../../changes/rewind/open-snapshots.ts";
import type { RunView } from "../../config/workspace/run-view.ts";
import type { SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";

/** The changes since the work began. */
export interface Work {
  readonly tree: string;
  readonly changes: readonly Change[];
  /** Why some changes may be unknown. */
  readonly doubts: readonly string[];
}

/** Tracks the work that has no final verdict yet. */
export interface WorkSource {
  readonly isOnDisk: boolean;
  /** When the work began; undefined if nothing may have changed since the last final verdict. */
  readonly since: number | undefined;
  /** Must be called before anything may change files. */
  begin(): Promise<void>;
  readWork(): Promise<Work | undefined>;
  /** Undefined if the original files are not known. */
  readonly before: (() => FilesBefore) | undefined;
  /** Makes the verdict final: later changes are new work. */
  settle(): void;
}

/** The folder to verify: the repository around the working folder, because checks use files above it. */
export function workRoot({ cwd, paths }: Pick<SessionWorkspace, "cwd" | "paths">): string {
  const repository = repositoryOf(cwd);
  // A view cannot be stored inside the folder that it shows.
  return repository === undefined || isInside(paths.home, repository) ? cwd : repository;
}

/**
 * `env`: the session's, once there is one. `base`: the journal's name for the beginning of work that is not an input's.
 */
export function projectWork(
  workspace: SessionWorkspace,
  { opened }: Pick<SessionRequest, "opened">,
  env: () => ExecutionEnvironment,
  base?: string,
): WorkSource {
  const { journal, path } = opened;
  const { machine, paths, settings } = workspace;
  const blobs = path === undefined ? new MemoryBlobs() : new FileBlobs(paths.blobs, `${machine.pid}-verify`);
  let made: TreeWatch | undefined;
  const watch = (): TreeWatch => {
    const place = { workspace, journal, env: env(), warn: () => {} };
    made ??= new TreeWatch({
      ...snapshotOptions(place, blobs),
      ...{ root: workRoot(workspace), now: machine.deps.now, base, rests: restsOn(settings["verify.tests"]) },
    });
    return made;
  };
  return {
    isOnDisk: true,
    get since() {
      return watch().base?.at;
    },
    begin: () => watch().begin(),
    readWork: async () => {
      const now = await watch().look();
      if (!now) return undefined;
      const doubts = [
        ...(watch().seesAll ? [] : ["The project has too many files to know what was changed: raise rewind.maxFiles."]),
        ...(now.uncovered.length > 0 ? [`Too large to be verified: ${now.uncovered.join(", ")}.`] : []),
      ];
      return { tree: now.tree, changes: now.changes, doubts };
    },
    before: () => watch().baseFiles(),
    settle: () => watch().settle(),
  };
}

/** All changes in the copy are one piece of work, until it is applied. */
export function copyWork(view: RunView, now: () => number): WorkSource {
  const since = now();
  let hasBegun = false;
  return {
    isOnDisk: false,
    get since() {
      return hasBegun ? since : undefined;
    },
    begin: async () => {
      hasBegun = true;
    },
    readWork: async () => ({ ...(await view.work()), doubts: [] }),
    before: undefined,
    settle: () => {},
  };
}
