// What the work of a session has changed, for its verification: in the project's files, or in the isolated copy of the whole run.

import { type ExecutionEnvironment, FileBlobs, MemoryBlobs } from "@lathe/agent";
import { repositoryOf } from "@lathe/agent/files";
import { isInside } from "@lathe/agent/policy";
import { type Change, type FilesBefore, restsOn, TreeWatch } from "@lathe/agent/verify";
import { snapshotOptions } from "../../changes/rewind/open-snapshots.ts";
import type { RunView } from "../../config/workspace/run-view.ts";
import type { SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";

/** The work since it began. */
export interface Work {
  readonly tree: string;
  readonly changes: readonly Change[];
  /** Why not all of it is known. */
  readonly doubts: readonly string[];
}

/** Knows the work whose verdict is still to come. */
export interface WorkSource {
  readonly isOnDisk: boolean;
  /** When the work began; undefined: nothing may have been changed since the last verdict that stands. */
  readonly since: number | undefined;
  /** Called before anything may change files. */
  begin(): Promise<void>;
  look(): Promise<Work | undefined>;
  /** Undefined where the files of the beginning are not known. */
  readonly before: (() => FilesBefore) | undefined;
  /** Its verdict stands: what follows is new work. */
  settle(): void;
}

/** What is verified: the repository around the folder that is worked in, since checks find what lies above them. */
export function workRoot({ cwd, paths }: Pick<SessionWorkspace, "cwd" | "paths">): string {
  const repository = repositoryOf(cwd);
  // Views cannot be kept inside of what they are views of.
  return repository === undefined || isInside(paths.home, repository) ? cwd : repository;
}

/** `env`: of the session, once there is one. `base`: how the journal calls the beginning of work of another kind than an input's. */
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
    look: async () => {
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

/** All that the copy holds is one piece of work, until it is applied. */
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
    look: async () => ({ ...(await view.work()), doubts: [] }),
    before: undefined,
    settle: () => {},
  };
}
