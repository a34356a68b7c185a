// What a confined command sees, as data, and the arguments that make bubblewrap show exactly that.

/** Absolute, real paths. */
export interface Layout {
  /** Writable. */
  readonly roots: readonly string[];
  /** Writable parts that cannot be renamed. */
  readonly pinned: readonly string[];
  /** Read-only, also inside of a root. */
  readonly fixed: readonly string[];
  readonly hiddenFolders: readonly string[];
  readonly hiddenFiles: readonly string[];
  /** Of the sandbox alone, on the host. */
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
}

/** Everything but the command itself. Later mounts lie on top of earlier ones. */
export function bubblewrapArguments(layout: Layout, { cwd, env, forbidsUserNamespaces }: Surroundings): string[] {
  const { roots, pinned, fixed, hiddenFolders, hiddenFiles, own } = layout;
  return [
    // The process and network namespaces are the session's; with a user namespace of its own the command cannot look into the
    // processes that started it, although it sees their numbers.
    ...["--unshare-user", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL", "--new-session"],
    ...(forbidsUserNamespaces ? ["--disable-userns"] : []),
    // All of /proc too: for root, system controls would be writable.
    ...["--ro-bind", "/", "/", "--dev", "/dev"],
    // Where sockets of agents, buses and daemons are.
    ...["--tmpfs", "/run", "--ro-bind-try", "/run/current-system", "/run/current-system"],
    ...(env["XDG_RUNTIME_DIR"] ? ["--perms", "0700", "--dir", env["XDG_RUNTIME_DIR"]] : []),
    ...["--bind", own.tmp, "/tmp", "--bind", own.varTmp, "/var/tmp"],
    ...outermostFirst(roots).flatMap((path) => ["--bind", path, path]),
    ...outermostFirst(pinned).flatMap((path) => ["--bind", path, path]),
    ...outermostFirst(fixed).flatMap((path) => ["--ro-bind-try", path, path]),
    ...hiddenFolders.flatMap((path) => ["--ro-bind", own.nothing, path]),
    ...hiddenFiles.flatMap((path) => ["--ro-bind", own.emptyFile, path]),
    ...["--chdir", cwd, "--clearenv"],
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

const outermostFirst = (paths: readonly string[]): string[] =>
  [...new Set(paths)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
