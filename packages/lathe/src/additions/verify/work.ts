// What the work of a session has changed, for its verification: in the project's files, or in the isolated copy of the whole run.

import { type ExecutionEnvironment, FileBlobs, MemoryBlobs } from "@lathe/agent";
import { type Change, TreeWatch } from "@lathe/agent/verify";
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
  /** There was a test when it began; `isTest` takes absolute paths. */
  hadTests(isTest: (path: string) => boolean): boolean;
  /** Its verdict stands: what follows is new work. */
  settle(): void;
}

/** `env`: of the session, once there is one. */
export function projectWork(
  workspace: SessionWorkspace,
  { opened }: SessionRequest,
  env: () => ExecutionEnvironment,
): WorkSource {
  const { journal, path } = opened;
  const { machine, paths, cwd } = workspace;
  const blobs = path === undefined ? new MemoryBlobs() : new FileBlobs(paths.blobs, `${machine.pid}-verify`);
  let made: TreeWatch | undefined;
  const watch = (): TreeWatch => {
    const place = { workspace, journal, env: env(), warn: () => {} };
    made ??= new TreeWatch({ ...snapshotOptions(place, blobs), root: cwd, now: machine.deps.now });
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
    hadTests: (isTest) => watch().baseFiles().some(isTest),
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
    hadTests: () => true,
    settle: () => {},
  };
}
