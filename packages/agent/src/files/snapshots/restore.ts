// Brings files to what a plan says. Each file is replaced in one step (temporary file, then rename), after a look whether it is
// still what the plan knows, so that the same plan can be carried out again after a crash.

import {
  chmodSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path/posix";
import { type BlobStore, blobHash } from "../../base/blobs/store.ts";
import { isDiskFull } from "./disk-full.ts";
import { fsPath, nameOf } from "./names.ts";
import type { LeftFile, LeftReason, Step } from "./plan.ts";
import { contentOf, linkTarget, MODE_BITS } from "./scan.ts";
import { lstatOf } from "./stat.ts";
import { sameValue, type Value } from "./tree.ts";

export interface Restored {
  readonly paths: readonly string[];
  readonly left: readonly LeftFile[];
}

export function restore(steps: readonly Step[], blobs: Pick<BlobStore, "get">): Restored {
  const work = new Restoration(blobs);
  for (const { path, now, target } of steps) {
    // A folder that was closed to us is opened first; it gets its own mode at the end.
    if (now.kind === "folder" && target.kind === "folder") setFolderMode(path, target.mode | 0o700);
    work.removeLeftover(path);
  }
  const deepestFirst = [...steps].sort((a, b) => depth(b.path) - depth(a.path));
  for (const step of deepestFirst) if (mustGoFirst(step)) work.attempt(step, () => work.remove(step));
  for (const step of [...deepestFirst].reverse())
    if (step.target.kind !== "absent") work.attempt(step, () => work.make(step));
  // Last, because a folder that may not be written to cannot be filled.
  for (const { path, target } of deepestFirst) if (target.kind === "folder") setFolderMode(path, target.mode);
  return work.outcome(steps);
}

function setFolderMode(path: string, mode: number): void {
  if (lstatOf(path)?.isDirectory()) chmodSync(fsPath(path), mode);
}

const depth = (path: string): number => path.split("/").length;
const isFile = ({ kind }: Value): boolean => kind === "file" || kind === "link";
/** What is not simply replaced by a rename. */
const mustGoFirst = ({ now, target }: Step): boolean =>
  now.kind !== "absent" && !(isFile(now) && isFile(target)) && now.kind !== target.kind;

class Restoration {
  readonly #blobs: Pick<BlobStore, "get">;
  readonly #left = new Map<string, LeftReason>();
  /** Folders that hold something else. They obstruct nothing, so they are not named. */
  readonly #stayed = new Set<string>();

  constructor(blobs: Pick<BlobStore, "get">) {
    this.#blobs = blobs;
  }

  outcome(steps: readonly Step[]): Restored {
    return {
      paths: steps.map(({ path }) => path).filter((path) => !this.#left.has(path) && !this.#stayed.has(path)),
      left: [...this.#left].map(([path, why]) => ({ path, why })),
    };
  }

  attempt({ path }: Step, work: () => LeftReason | undefined): void {
    if (this.#left.has(path)) return;
    try {
      const why = work();
      if (why !== undefined) this.#left.set(path, why);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      this.#left.set(path, isDiskFull(error) ? "full" : "blocked");
    }
  }

  remove(step: Step): LeftReason | undefined {
    const { path, now, target } = step;
    if (isObstructed(path)) return "obstructed";
    const present = presentValue(step);
    if (sameValue(present, target) || present.kind === "absent") return undefined;
    if (present.kind === "folder") {
      if (now.kind !== "folder") return "changed";
      if (removeFolder(path)) return undefined;
      if (target.kind !== "absent") return "obstructed";
      this.#stayed.add(path);
      return undefined;
    }
    if (!sameValue(present, now)) return "changed";
    unlinkSync(fsPath(path));
    return undefined;
  }

  make(step: Step): LeftReason | undefined {
    const { path, now, target } = step;
    if (isObstructed(path)) return "obstructed";
    const present = presentValue(step);
    if (sameValue(present, target)) return undefined;
    if (target.kind === "folder") {
      if (present.kind === "folder") return undefined;
      if (present.kind !== "absent") return "changed";
      makeParents(path);
      mkdirSync(fsPath(path), { mode: 0o700 });
      return undefined;
    }
    if (present.kind !== "absent" && !sameValue(present, now)) return "changed";
    if (present.kind === "absent" && now.kind !== "absent" && isFile(now)) return "changed";
    makeParents(path);
    return this.#put(path, target);
  }

  #put(path: string, target: Value): LeftReason | undefined {
    const aside = asideOf(path);
    try {
      if (target.kind === "link") symlinkSync(fsPath(target.target), fsPath(aside));
      else {
        const content = target.kind === "file" ? this.#blobs.get(target.hash) : undefined;
        if (!content) return "lost";
        writeFileSync(fsPath(aside), content, { mode: 0o600, flag: "wx" });
        if (target.kind === "file") chmodSync(fsPath(aside), target.mode);
      }
      renameSync(fsPath(aside), fsPath(path));
    } catch (error) {
      rmSync(fsPath(aside), { force: true });
      throw error;
    }
    return undefined;
  }

  /** Of a rewind that was killed. */
  removeLeftover(path: string): void {
    const aside = asideOf(path);
    if (lstatOf(aside)) unlinkSync(fsPath(aside));
  }
}

const asideOf = (path: string): string =>
  `${dirname(path)}/.${path.slice(path.lastIndexOf("/") + 1).slice(0, 200)}.lathe-rewind`;

function removeFolder(path: string): boolean {
  try {
    rmdirSync(fsPath(path));
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** Something that is no folder is on the way to it: a link, however far up, could lead anywhere. */
function isObstructed(path: string): boolean {
  let at = dirname(path);
  let stat = lstatOf(at);
  for (; !stat && at !== "/"; stat = lstatOf(at)) at = dirname(at);
  if (stat && !stat.isDirectory()) return true;
  return nameOf(realpathSync.native(fsPath(at), { encoding: "buffer" })) !== at;
}

function makeParents(path: string): void {
  const parent = dirname(path);
  if (lstatOf(parent)) return;
  makeParents(parent);
  mkdirSync(fsPath(parent));
}

/** What is at a path right now. A file of another size than those of the step is neither, so it is not read. */
function presentValue({ path, now, target }: Step): Value {
  const stat = lstatOf(path);
  if (!stat) return { kind: "absent" };
  const mode = stat.mode & MODE_BITS;
  if (stat.isDirectory()) return { kind: "folder", mode };
  if (stat.isSymbolicLink()) return { kind: "link", target: linkTarget(path) ?? "" };
  const isCandidate = [now, target].some((value) => value.kind === "file" && value.size === stat.size);
  const content = stat.isFile() && isCandidate ? contentOf(path) : undefined;
  if (!content) return { kind: "uncovered", mode, size: stat.size, mtimeMs: stat.mtimeMs };
  return { kind: "file", mode, size: stat.size, hash: blobHash(content) };
}
