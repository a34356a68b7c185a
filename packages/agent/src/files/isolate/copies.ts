// Views that are separate folders: `worktree` is a clone that borrows the objects of the project's repository, with the
// project's current files (including uncommitted and untracked ones); `reflink` is a copy that shares its blocks until
// they are changed.

import { constants, copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { isInside } from "../../world/env/is-inside.ts";
import { KindUnavailable, type OpenedKind, type Opening } from "./kinds.ts";
import type { ViewFiles } from "./left-out.ts";
import { copyIndex } from "./on-disk.ts";
import type { Part } from "./parts.ts";
import { namespaceEnvironment, openViewNamespace, sandboxEnvironment } from "./view-environment.ts";
import { boundMounts } from "./view-namespace.ts";

/** A folder of the host, and its path in the view. */
interface ShownFolder {
  readonly from: string;
  readonly at: string;
  readonly isFixed: boolean;
}

/** The files of a view on the host's disk. */
export interface Copy {
  readonly tree: string;
  readonly shown: readonly ShownFolder[];
  readonly hasIgnored: boolean;
  /** An index that knows the files of the copy. */
  readonly indexOf: (part: Part) => string;
}

/** Where a clone finds the objects that it borrows, below its own. */
const BORROWED = "lathe-base";

/** Created when a copy is complete: later changes belong to the view. */
const MADE = "copy-made";

export async function openWorktree(opening: Opening): Promise<OpenedKind> {
  return openCopy(opening, await makeWorktree(opening));
}

export async function openReflink(opening: Opening): Promise<OpenedKind> {
  return openCopy(opening, await makeReflink(opening));
}

export async function makeWorktree(opening: Opening): Promise<Copy> {
  const { request, folder } = opening;
  const parts = await opening.parts();
  if (!opening.isContinued) await fillWorktree(opening, parts);
  const around = parts.find(({ scope }) => scope !== "");
  const tree = around ? join(folder, "around", around.scope) : join(folder, "tree");
  const borrowed = parts.flatMap(({ scope, repository, top }): ShownFolder[] => {
    if (scope !== "" || !repository) return [];
    const from = join(repository.commonDir, "objects");
    return [{ from, at: join(top, ".git/objects", BORROWED), isFixed: true }];
  });
  const shown = [{ from: tree, at: request.root, isFixed: false }, ...borrowed];
  const all = [...shown, ...fixedElsewhere(request.root, parts)];
  return { tree, shown: all, hasIgnored: false, indexOf: indexIn };
}

async function fillWorktree(opening: Opening, parts: readonly Part[]): Promise<void> {
  const { request, folder } = opening;
  const tree = join(folder, "tree");
  mkdirSync(tree);
  for (const part of parts) {
    const place = join(tree, relative(request.root, part.top));
    const isAround = part.scope !== "";
    if (!isAround && part.repository) await cloneInto(opening, part, place);
    const index = indexIn(part);
    copyIndex(part.baseIndex, index);
    // A repository around the root is written as a whole, because paths of its tree begin above the root.
    const workTree = isAround ? join(folder, "around") : place;
    mkdirSync(workTree, { recursive: true });
    const files = isAround ? ["--stdin", "-z"] : ["-a"];
    const stdin = isAround
      ? await part.git.run(["ls-files", "-z", "--", part.scope], { index: part.baseIndex })
      : undefined;
    await part.git.run(["checkout-index", "-q", "-u", "-f", ...files], { index, workTree, stdin });
    if (isAround) {
      await rm(tree, { recursive: true });
      mkdirSync(join(workTree, part.scope), { recursive: true });
    }
  }
}

const indexIn = ({ git }: Part): string => join(git.gitDir, "copy-index");

async function cloneInto(
  { request, processes }: Opening,
  { repository, top, git }: Part,
  place: string,
): Promise<void> {
  mkdirSync(place, { recursive: true });
  const result = await processes.run({
    argv: [
      "git",
      "-c",
      "core.hooksPath=/dev/null",
      "clone",
      "-q",
      "--shared",
      "--no-checkout",
      // It serves the clone from the project, whose configuration could name a program for missing objects.
      "--upload-pack=env GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 git-upload-pack",
      "--template=",
      "--",
      top,
      place,
    ],
    cwd: "/",
    env: {
      PATH: request.host.baseEnv["PATH"] ?? "/usr/bin:/bin",
      LC_ALL: "C",
      HOME: git.gitDir,
      GIT_CONFIG_NOSYSTEM: "1",
    },
    timeoutMs: 600_000,
    internal: true,
    signal: request.signal,
  });
  if (result.exitCode !== 0) throw new KindUnavailable(`git clone: ${result.stderr.trim().split("\n").at(-1)}`);
  const own = join(place, ".git/objects");
  writeFileSync(join(own, "info/alternates"), `${BORROWED}\n`);
  mkdirSync(join(own, BORROWED));
  const theirs = join(repository!.gitDir, "index");
  if (existsSync(theirs)) copyIndex(theirs, join(place, ".git/index"));
}

/** Data that repositories keep outside the root must not be changed through its path. */
function fixedElsewhere(root: string, parts: readonly Part[]): ShownFolder[] {
  const places = parts.flatMap(({ repository }) => (repository ? [repository.commonDir, repository.gitDir] : []));
  return [...new Set(places)]
    .filter((path) => !isInside(path, root))
    .map((path) => ({ from: path, at: path, isFixed: true }));
}

export async function makeReflink(opening: Opening): Promise<Copy> {
  const { request, folder } = opening;
  const { root } = request;
  if (!opening.isContinued) refuseWithoutClones(root, folder);
  const parts = await opening.parts();
  const tree = join(folder, "tree");
  if (!opening.isContinued) await copyBlocks(opening, tree);
  return {
    tree,
    shown: [{ from: tree, at: root, isFixed: false }, ...fixedElsewhere(root, parts)],
    hasIgnored: true,
    indexOf: (part) => part.baseIndex,
  };
}

async function copyBlocks({ request, processes }: Opening, tree: string): Promise<void> {
  const { root } = request;
  mkdirSync(tree);
  const how = process.platform === "darwin" ? ["-c", "-R", "-p"] : ["-a", "--reflink=always"];
  const result = await processes.run({
    argv: ["cp", ...how, "--", `${root}/.`, tree],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    timeoutMs: 600_000,
    internal: true,
    signal: request.signal,
  });
  if (result.exitCode !== 0) throw new KindUnavailable(`cp: ${result.stderr.trim().split("\n")[0]}`);
}

function refuseWithoutClones(root: string, folder: string): void {
  const probe = join(folder, "probe");
  writeFileSync(probe, "probe");
  try {
    if (statSync(root).dev !== statSync(folder).dev)
      throw new KindUnavailable("reflink needs the store on the project's file system");
    copyFileSync(probe, `${probe}-copy`, constants.COPYFILE_FICLONE_FORCE);
  } catch (error) {
    throw error instanceof KindUnavailable
      ? error
      : new KindUnavailable("reflink needs a file system that shares blocks (btrfs, xfs, APFS)");
  }
}

/** Call this when the copy has been created, or is continued; its creation time stays the same. */
export function copyFiles(folder: string, { tree, hasIgnored }: Copy): ViewFiles {
  const made = join(folder, MADE);
  if (!existsSync(made)) writeFileSync(made, "");
  const { ctimeMs } = statSync(made);
  return {
    folder: tree,
    isOwn: (stat) => stat.ctimeMs >= ctimeMs,
    isRemoval: () => false,
    hadAtFirst: (stat) => hasIgnored && stat.ctimeMs < ctimeMs,
  };
}

async function openCopy({ request, folder, isOnlyRead }: Opening, copy: Copy): Promise<OpenedKind> {
  const { root } = request;
  const files = copyFiles(folder, copy);
  const isShown = process.platform === "linux" && !isOnlyRead;
  const namespace = isShown ? await openViewNamespace(request, boundMounts(copy.shown)) : undefined;
  return {
    env: namespace ? namespaceEnvironment(request, namespace) : sandboxEnvironment(request, copy.tree),
    files,
    source: async (part) => copySource(copy, part, root),
    close: async () => namespace?.close(),
  };
}

export function copySource(copy: Copy, part: Part, root: string) {
  // Above the root if the repository is around it.
  const up = relative(part.top, root);
  const workTree =
    part.scope === "" ? join(copy.tree, relative(root, part.top)) : join(copy.tree, ...up.split("/").map(() => ".."));
  return { workTree, hostPath: (path: string) => join(workTree, path), index: copy.indexOf(part) };
}
