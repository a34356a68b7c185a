// What a rewind must do to each file. A file is restored if only the session has changed it since; a file that another
// writer changed as well stays as it is, and so does one whose earlier content was not kept.

import { dirname } from "node:path/posix";
import type { BlobStore } from "../../base/blobs/store.ts";
import { differences, FileList } from "./compare.ts";
import type { Stretch } from "./timeline.ts";
import { sameValue, type Value } from "./tree.ts";

export interface Step {
  readonly path: string;
  /** The current value. */
  readonly now: Value;
  readonly target: Value;
}

/** A file that a rewind did not restore. */
export interface LeftFile {
  readonly path: string;
  readonly why: LeftReason;
}
/**
 * `changed`: another writer changed it. `unsure`: the writer is unknown, because the process was killed, or could not
 * record, while the session may have changed it. `uncovered`: its content was too large to keep. `lost`: its content is
 * missing from the blob store. `obstructed`: something that is not a folder, such as a link, is in place of its folder.
 * `full`: the disk is full. `blocked`: the system denied access. `repository`: it is the `.git` of a repository that
 * was removed or moved. `editor`: the file on disk is right, but the host's editor has other text.
 */
export type LeftReason =
  | "changed"
  | "unsure"
  | "uncovered"
  | "lost"
  | "obstructed"
  | "full"
  | "blocked"
  | "repository"
  | "editor";

export interface RewindPlan {
  readonly steps: readonly Step[];
  readonly left: readonly LeftFile[];
}

export interface PlanRequest {
  /** The stretches to undo, oldest first; never empty. */
  readonly undone: readonly Stretch[];
  /** All stretches since the first of them: paths first covered there have known values. */
  readonly since: readonly Stretch[];
  /** The list of the current files. */
  readonly now: string;
  /** Also restore what others have changed. */
  readonly force: boolean;
}

type Blobs = Pick<BlobStore, "get" | "size">;

export function planRewind({ undone, since, now, force }: PlanRequest, blobs: Blobs): RewindPlan {
  const ours = new Set<string>();
  const theirs = new Map<string, LeftReason>();
  const found = new Found(undone[0]!.before, since, blobs);
  for (const [i, { before, after }] of undone.entries()) {
    const next = undone[i + 1]?.before ?? now;
    for (const { path } of differences(before, after ?? next, blobs)) {
      ours.add(path);
      if (after === undefined) theirs.set(path, "unsure");
    }
    if (after === undefined) continue;
    for (const difference of differences(after, next, blobs)) {
      const isNews = difference.before.kind === "absent" && found.has(difference.path);
      if (!isNews) theirs.set(difference.path, "changed");
    }
  }
  const present = new FileList(now, blobs);
  const steps: Step[] = [];
  const left: LeftFile[] = [];
  for (const path of [...ours].sort()) {
    const target = found.valueAtStart(path);
    const value = present.valueOf(path);
    if (sameValue(value, target)) continue;
    const why = reason(value, target, force ? undefined : theirs.get(path), blobs);
    if (why === undefined) steps.push({ path, now: value, target });
    else left.push({ path, why });
  }
  // A repository that was only created stays without a note; one that was moved is reported with both paths.
  const isLost = left.some(({ path, why }) => why === "repository" && found.valueAtStart(path).kind === "repository");
  return { steps, left: isLost ? left : left.filter(({ why }) => why !== "repository") };
}

function reason(
  present: Value,
  target: Value,
  others: LeftReason | undefined,
  blobs: Pick<BlobStore, "size">,
): LeftReason | undefined {
  if (target.kind === "repository" || present.kind === "repository") return "repository";
  // The current content would be lost as well, so the rewind could not be undone.
  if (target.kind === "uncovered" || present.kind === "uncovered") return "uncovered";
  if (others !== undefined) return others;
  return target.kind === "file" && blobs.size(target.hash) === undefined ? "lost" : undefined;
}

/** Paths that a later list covers for the first time had the same value before it. */
class Found {
  readonly #later: readonly { readonly paths: ReadonlySet<string>; readonly list: FileList }[];
  readonly #first: FileList;

  constructor(first: string, since: readonly Stretch[], blobs: Blobs) {
    const findPaths = (paths: readonly string[], list: string | undefined) =>
      paths.length === 0 || list === undefined ? [] : [{ paths: new Set(paths), list: new FileList(list, blobs) }];
    this.#first = new FileList(first, blobs);
    this.#later = since.flatMap(({ foundBefore, foundAfter, before, after }) => [
      ...findPaths(foundBefore, before),
      ...findPaths(foundAfter, after),
    ]);
  }

  has(path: string): boolean {
    return this.#listWith(path) !== undefined;
  }

  valueAtStart(path: string): Value {
    const value = this.#first.valueOf(path);
    return value.kind === "absent" ? (this.#listWith(path)?.valueOf(path) ?? value) : value;
  }

  #listWith(path: string): FileList | undefined {
    return this.#later.find(({ paths }) => covers(paths, path))?.list;
  }
}

function covers(paths: ReadonlySet<string>, path: string): boolean {
  for (let at = path; at !== "/"; at = dirname(at)) if (paths.has(at)) return true;
  return false;
}
