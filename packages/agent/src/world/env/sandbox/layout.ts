// What a confined command sees, as data, and the arguments that make bubblewrap show exactly that.

import { isInside } from "../is-inside.ts";
import type { GitMount } from "./git-places.ts";
import { pinnedFolders } from "./pins.ts";

/** Absolute, real paths. */
export interface Layout {
  /** Writable. */
  readonly roots: readonly string[];
  /** Parts of repositories, outermost first. */
  readonly git: readonly GitMount[];
  /** Read-only, also inside of a root. */
  readonly fixed: readonly string[];
  /** Programs of ours, read-only, where the sandbox would otherwise show folders of its own. */
  readonly programs: readonly string[];
  readonly hiddenFolders: readonly string[];
  readonly hiddenFiles: readonly string[];
  /** Folders on the host that only the sandbox uses. */
  readonly own: OwnFolders;
}

/** Folders that only this sandbox uses. */
export interface OwnFolders {
  /** Becomes /tmp. */
  readonly tmp: string;
  /** Becomes /var/tmp. */
  readonly varTmp: string;
  /** Stands where a folder is hidden. */
  readonly nothing: string;
  /** Stands where a file is hidden. */
  readonly emptyFile: string;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether this bubblewrap can forbid further user namespaces. */
  readonly forbidsUserNamespaces: boolean;
  /** The command has a terminal of its own. */
  readonly terminal?: boolean | undefined;
}

/** Everything but the command itself. Later mounts lie on top of earlier ones. */
export function bubblewrapArguments(layout: Layout, surroundings: Surroundings): string[] {
  const { cwd, env, forbidsUserNamespaces, terminal = false } = surroundings;
  const { roots, git, fixed, programs, hiddenFolders, own } = layout;
  // Of what a hidden folder holds, nothing is left to hide, and nothing to mount on.
  const hiddenFiles = layout.hiddenFiles.filter((path) => !hiddenFolders.some((folder) => isInside(path, folder)));
  const repositories = git.map(({ path }) => path);
  const writable = [
    ...roots,
    ...pinnedFolders(roots, [...roots, ...repositories, ...fixed, ...hiddenFolders, ...hiddenFiles]),
  ];
  const stands = standsInPrivate([...roots, ...programs]);
  return [
    // The process and network namespaces are the session's; with a user namespace of its own the command cannot look into the
    // processes that started it, although it sees their numbers.
    ...["--unshare-user", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"],
    // A terminal of its own is no way to the person's.
    ...(terminal ? [] : ["--new-session"]),
    ...(forbidsUserNamespaces ? ["--disable-userns"] : []),
    // All of /proc too: for root, system controls would be writable.
    ...["--ro-bind", "/", "/", "--dev", "/dev"],
    // Where sockets of agents, buses and daemons are.
    ...["--tmpfs", "/run", "--ro-bind-try", "/run/current-system", "/run/current-system"],
    ...(env["XDG_RUNTIME_DIR"] ? ["--perms", "0700", "--dir", env["XDG_RUNTIME_DIR"]] : []),
    ...["--bind", own.tmp, "/tmp", "--bind", own.varTmp, "/var/tmp"],
    ...stands.flatMap((path) => ["--tmpfs", path]),
    ...outermostFirst(writable).flatMap((path) => ["--bind", path, path]),
    ...git.flatMap(({ path, isWritable }) => [isWritable ? "--bind-try" : "--ro-bind-try", path, path]),
    ...programs.flatMap((path) => ["--ro-bind", path, path]),
    ...outermostFirst(fixed).flatMap((path) => ["--ro-bind-try", path, path]),
    ...hiddenFolders.flatMap((path) => ["--ro-bind", own.nothing, path]),
    ...hiddenFiles.flatMap((path) => ["--ro-bind", own.emptyFile, path]),
    ...stands.flatMap((path) => ["--remount-ro", path]),
    ...["--chdir", cwd, "--clearenv"],
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

/** Folders of the sandbox's own in the place of the machine's. */
export const PRIVATE_FOLDERS = ["/tmp", "/var/tmp"] as const;

/**
 * Folders in the private ones that lead to what is shown in them. Each is made anew for every command: in one that lasts, a
 * command could leave a link, and bubblewrap would follow it when it makes the next command's folders.
 */
export function standsInPrivate(shown: readonly string[]): string[] {
  const first = shown.flatMap((path) =>
    PRIVATE_FOLDERS.filter((folder) => path.startsWith(`${folder}/`)).map(
      (folder) => `${folder}/${path.slice(folder.length + 1).split("/")[0]}`,
    ),
  );
  return [...new Set(first)].filter((path) => !shown.includes(path) && !shown.some((other) => isInside(path, other)));
}

const outermostFirst = (paths: readonly string[]): string[] =>
  [...new Set(paths)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
