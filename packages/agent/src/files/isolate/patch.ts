// A delta as a patch for `git apply`: if a landing is refused, the user still has the work.

import { relative } from "node:path";
import { Processes } from "../../world/process/processes.ts";
import { openGitStore } from "./git-store.ts";
import type { Delta, ViewHost } from "./types.ts";

/** Paths are relative to the root. The view of the delta must be open. */
export async function patchOf(delta: Delta, root: string, host: ViewHost): Promise<Buffer> {
  const processes = new Processes({ clock: host.clock });
  try {
    const patches: Buffer[] = [];
    for (const { gitDir, base, tree, top, objectFormat } of delta.parts) {
      const git = openGitStore({
        gitDir: `${gitDir}-patch`,
        processes,
        path: host.baseEnv["PATH"],
        borrowed: [`${gitDir}/objects`],
        objectFormat,
      });
      const inside = relative(root, top);
      const folder = inside === "" || inside.startsWith("..") ? "" : `${inside}/`;
      const prefixes = [`--src-prefix=a/${folder}`, `--dst-prefix=b/${folder}`];
      const within = inside.startsWith("..") ? [`--relative=${relative(top, root)}`] : [];
      patches.push(
        await git.run(["diff", "--binary", "--full-index", "--no-renames", ...prefixes, ...within, base, tree]),
      );
    }
    return Buffer.concat(patches);
  } finally {
    await processes.cleanup();
  }
}
