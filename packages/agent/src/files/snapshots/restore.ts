// Restores files according to a plan. All contents are first written next to their targets, so that a full disk changes
// nothing; then each file is replaced by a rename, after checking that it is still as the plan expects, so that the
// same plan can be repeated after a crash.

import { createHash } from "node:crypto";
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

/** The disk does not have space for all contents; every file is unchanged. */
export class NoRoom extends Error {}

/** `orNothing`: throws `NoRoom` if there is not enough space for all contents. */
export function restore(
  steps: readonly Step[],
  blobs: Pick<BlobStore, "get">,
  { orNothing }: { readonly orNothing: boolean },
): Restored {
  const work = new Restoration(steps, blobs);
  const openFolders = steps.filter(({ now, target }) => now.kind === "folder" && target.kind === "folder");
  // A folder without write permission is opened first; it gets its own mode at the end.
  for (const { path, target } of openFolders) setFolderMode(path, target, 0o700);
  const deepestFirst = [...steps].sort((a, b) => depth(b.path) - depth(a.path));
  const removeAll = (): void => {
    for (const step of deepestFirst) if (mustGoFirst(step)) work.attempt(step, () => work.remove(step));
  };
  // The files to remove may be what has filled the disk.
  const leaving = steps.filter(({ target }) => !isFile(target)).map(({ now }) => now);
  const makesRoom = roomOf(leaving) >= roomOf(steps.map(({ target }) => target));
  if (makesRoom) removeAll();
  work.stageAll();
  if (!makesRoom) {
    if (orNothing && work.isOutOfRoom) {
      work.removeStaged();
      for (const { path, now } of openFolders) setFolderMode(path, now);
      throw new NoRoom();
    }
    removeAll();
  }
  for (const step of [...deepestFirst].reverse())
    if (step.target.kind !== "absent") work.attempt(step, () => work.make(step));
  work.removeStaged();
  // Last, because a write-protected folder cannot be filled.
  for (const { path, target } of deepestFirst) setFolderMode(path, target);
  return work.outcome(steps);
}

function setFolderMode(path: string, value: Value, more = 0): void {
  if (value.kind === "folder" && lstatOf(path)?.isDirectory()) chmodSync(fsPath(path), value.mode | more);
}

const depth = (path: string): number => path.split("/").length;
const isFile = ({ kind }: Value): boolean => kind === "file" || kind === "link";
/** Values that a rename cannot simply replace. */
const mustGoFirst = ({ now, target }: Step): boolean =>
  now.kind !== "absent" && !(isFile(now) && isFile(target)) && now.kind !== target.kind;

const BLOCK_BYTES = 4096;
/** Disk space of files. */
const roomOf = (values: readonly Value[]): number =>
  values.reduce((sum, value) => sum + (value.kind === "file" ? Math.ceil(value.size / BLOCK_BYTES) : 0), 0);

class Restoration {
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #blobs: Pick<BlobStore, "get">;
  readonly #left = new Map<string, LeftReason>();
  /** Folders that contain other things. They obstruct nothing, so they are not reported. */
  readonly #stayed = new Set<string>();
  isOutOfRoom = false;

  constructor(steps: readonly Step[], blobs: Pick<BlobStore, "get">) {
    this.#steps = new Map(steps.map((step) => [step.path, step]));
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
      this.isOutOfRoom ||= isDiskFull(error);
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
    renameSync(fsPath(this.#asideOf(path)), fsPath(path));
    return undefined;
  }

  /** Writes each content next to its target. */
  stageAll(): void {
    this.removeStaged();
    for (const step of this.#steps.values()) if (isFile(step.target)) this.attempt(step, () => this.#stage(step));
  }

  #stage({ path, target }: Step): LeftReason | undefined {
    const aside = this.#asideOf(path);
    if (isObstructed(aside)) return "obstructed";
    makeParents(aside);
    if (target.kind === "link") symlinkSync(fsPath(target.target), fsPath(aside));
    if (target.kind !== "file") return undefined;
    const content = this.#blobs.get(target.hash);
    if (!content) return "lost";
    try {
      writeFileSync(fsPath(aside), content, { mode: 0o600, flag: "wx" });
      chmodSync(fsPath(aside), target.mode);
    } catch (error) {
      // Another content may fit in this space.
      rmSync(fsPath(aside), { force: true });
      throw error;
    }
    return undefined;
  }

  /** Unused ones, and those that a killed rewind left. */
  removeStaged(): void {
    for (const { path, target } of this.#steps.values()) {
      const aside = isFile(target) ? this.#asideOf(path) : undefined;
      if (aside !== undefined && lstatOf(aside)) unlinkSync(fsPath(aside));
    }
  }

  /**
   * In the nearest folder that the plan does not create, so that a retry finds it wherever the first attempt stopped.
   */
  #asideOf(path: string): string {
    let folder = dirname(path);
    for (let step = this.#steps.get(folder); step && step.now.kind !== "folder"; step = this.#steps.get(folder))
      folder = dirname(folder);
    return `${folder}/.${createHash("sha256").update(path).digest("hex").slice(0, 16)}.lathe-rewind`;
  }
}

function removeFolder(path: string): boolean {
  try {
    rmdirSync(fsPath(path));
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** A parent path is not a folder: a link, at any level, could lead anywhere. */
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

/** The current value of a path. A file whose size matches neither value of the step is not read. */
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
