// Where discovery searches: the folders of the project from the working directory upward, and the user's folders.

import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Workspace } from "../../config/workspace/workspace.ts";

export interface Place {
  readonly cwd: string;
  /** Folder of the repository, or the working directory if there is none. */
  readonly root: string;
  /** From the working directory up to the root, without the user's home: files there are the user's own. */
  readonly folders: readonly string[];
  readonly userHome: string;
  readonly latheHome: string;
  /** The process's own variables: a project's .env must not decide where the user's files are. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trustFile: string;
}

export function placeOf({ cwd, machine, paths }: Pick<Workspace, "cwd" | "machine" | "paths">): Place {
  const userHome = existsSync(machine.userHome) ? realpathSync.native(machine.userHome) : machine.userHome;
  const way = wayUp(cwd);
  return {
    cwd,
    root: way.at(-1) ?? cwd,
    folders: way.filter((folder) => folder !== userHome),
    userHome,
    latheHome: paths.home,
    env: machine.env,
    trustFile: paths.trust,
  };
}

/** Outside of a repository only the directory itself: its parents may belong to another user. */
function wayUp(cwd: string): readonly string[] {
  const way: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    way.push(folder);
    if (existsSync(join(folder, ".git"))) return way;
    if (folder === dirname(folder)) return [cwd];
  }
}
