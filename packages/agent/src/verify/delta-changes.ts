// The changes in a view, in the form that can be verified.

import { openGitStore } from "../files/isolate/git-store.ts";
import { stepsBetween } from "../files/isolate/landing-steps.ts";
import type { Delta, ViewHost } from "../files/isolate/types.ts";
import { Processes } from "../world/process/processes.ts";
import type { Change } from "./types.ts";

/** The delta's view must be open. */
export async function deltaChanges(delta: Delta, host: ViewHost): Promise<Change[]> {
  const processes = new Processes({ clock: host.clock });
  try {
    const changes: Change[] = [];
    for (const { gitDir, base, tree, top, objectFormat } of delta.parts) {
      if (base === tree) continue;
      const git = openGitStore({
        gitDir: `${gitDir}-verify`,
        processes,
        path: host.baseEnv["PATH"],
        borrowed: [`${gitDir}/objects`],
        objectFormat,
      });
      changes.push(...(await stepsBetween(git, top, base, tree)));
    }
    return changes;
  } finally {
    await processes.cleanup();
  }
}

/** The same string for every delta with the same files. */
export const treeOf = ({ parts }: Delta): string => parts.map(({ tree }) => tree).join("-");
