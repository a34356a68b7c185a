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
  /** Read-only, even inside a root. */
  readonly fixed: readonly string[];
  /** Our programs, read-only, if a private folder of the sandbox would hide them. */
  readonly programs: readonly string[];
  readonly hiddenFolders: readonly string[];
  readonly hiddenFiles: readonly string[];
  /** Folders on the host that only the sandbox uses. */
  readonly own: OwnFolders;
}

/** Folders that only this sandbox uses. */
export interface OwnFolders {
  /** Mounted as /tmp. */
  readonly tmp: string;
  /** Mounted as /var/tmp. */
  readonly varTmp: string;
  /** An empty folder, mounted over hidden folders. */
  readonly nothing: string;
  /** An empty file, mounted over hidden files. */
  readonly emptyFile: string;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether this bubblewrap can forbid further user namespaces. */
  readonly forbidsUserNamespaces: boolean;
  /** The command has its own terminal. */
  readonly terminal?: boolean | undefined;
}

/** Everything except the command itself. Later mounts cover earlier ones. */
export function bubblewrapArguments(layout: Layout, surroundings: Surroundings): string[] {
  const { cwd, env, forbidsUserNamespaces, terminal = false } = surroundings;
  const { roots, git, fixed, programs, hiddenFolders, own } = layout;
  // Inside a hidden folder there is nothing left to hide, and nothing to mount on.
  const hiddenFiles = layout.hiddenFiles.filter((path) => !hiddenFolders.some((folder) => isInside(path, folder)));
  const repositories = git.map(({ path }) => path);
  const writable = [
    ...roots,
    ...pinnedFolders(roots, [...roots, ...repositories, ...fixed, ...hiddenFolders, ...hiddenFiles]),
  ];
  const stands = privateParents([...roots, ...programs]);
  return [
    // The process and network namespaces belong to the session. With its own user namespace, the command cannot inspect
    // the processes that started it, although it sees their ids.
    ...["--unshare-user", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"],
    // With its own terminal, the command cannot reach the user's.
    ...(terminal ? [] : ["--new-session"]),
    ...(forbidsUserNamespaces ? ["--disable-userns"] : []),
    // This includes /proc: otherwise root could write to system controls.
    ...["--ro-bind", "/", "/", "--dev", "/dev"],
    // Contains sockets of agents, buses and daemons.
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

/** Folders that the sandbox replaces with its own. */
export const PRIVATE_FOLDERS = ["/tmp", "/var/tmp"] as const;

/**
 * Folders inside the private ones that lead to what is shown there. They are recreated for every command: in a lasting
 * folder, a command could leave a link, and bubblewrap would follow it when it creates the next command's folders.
 */
export function privateParents(shown: readonly string[]): string[] {
  const first = shown.flatMap((path) =>
    PRIVATE_FOLDERS.filter((folder) => path.startsWith(`${folder}/`)).map(
      (folder) => `${folder}/${path.slice(folder.length + 1).split("/")[0]}`,
    ),
  );
  return [...new Set(first)].filter((path) => !shown.includes(path) && !shown.some((other) => isInside(path, other)));
}

const outermostFirst = (paths: readonly string[]): string[] =>
  [...new Set(paths)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
