// What a rewind has to do to which file. A file goes back when only the session has changed it since; one that somebody else has
// changed as well stays as it is, and so does one whose earlier content is not kept.

import type { BlobStore } from "../blobs/store.ts";
import { differences, valueIn } from "./compare.ts";
import type { Stretch } from "./timeline.ts";
import { sameValue, type Value } from "./tree.ts";

export interface Step {
  readonly path: string;
  /** What is there now. */
  readonly now: Value;
  readonly target: Value;
}

/** A file that a rewind did not bring back. */
export interface LeftFile {
  readonly path: string;
  readonly why: LeftReason;
}
/**
 * `changed`: somebody else changed it. `unsure`: the session was killed while it may have changed it. `uncovered`: its content was
 * too large to be kept. `lost`: its content is gone from the blob store. `blocked`: the system did not let us.
 */
export type LeftReason = "changed" | "unsure" | "uncovered" | "lost" | "blocked";

export interface RewindPlan {
  readonly steps: readonly Step[];
  readonly left: readonly LeftFile[];
}

export interface PlanRequest {
  /** Those to undo, oldest first; not empty. */
  readonly stretches: readonly Stretch[];
  /** List of the files as they are now. */
  readonly now: string;
  /** Also what others have changed. */
  readonly force: boolean;
}

export function planRewind({ stretches, now, force }: PlanRequest, blobs: Pick<BlobStore, "get" | "size">): RewindPlan {
  const ours = new Set<string>();
  const theirs = new Map<string, LeftReason>();
  const found = new Found(stretches);
  const files = stretches.filter(({ before }) => before !== "");
  for (const [i, { before, after }] of files.entries()) {
    const next = files[i + 1]?.before ?? now;
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
  const steps: Step[] = [];
  const left: LeftFile[] = [];
  for (const path of [...ours].sort()) {
    const target = found.valueAtStart(path, blobs);
    const present = valueIn(now, path, blobs);
    if (sameValue(present, target)) continue;
    const why = reason(present, target, force ? undefined : theirs.get(path), blobs);
    if (why === undefined) steps.push({ path, now: present, target });
    else left.push({ path, why });
  }
  return { steps, left };
}

function reason(
  present: Value,
  target: Value,
  others: LeftReason | undefined,
  blobs: Pick<BlobStore, "size">,
): LeftReason | undefined {
  // What is there now would be lost as well: no rewind could be taken back.
  if (target.kind === "uncovered" || present.kind === "uncovered") return "uncovered";
  if (others !== undefined) return others;
  return target.kind === "file" && blobs.size(target.hash) === undefined ? "lost" : undefined;
}

/** Paths that a later list covers for the first time were the same before it. */
class Found {
  readonly #lists: readonly { readonly paths: readonly string[]; readonly list: string }[];
  readonly #first: string;

  constructor(stretches: readonly Stretch[]) {
    this.#first = stretches.find(({ before }) => before !== "")?.before ?? "";
    this.#lists = stretches.flatMap(({ foundBefore, foundAfter, before, after }) => [
      ...(foundBefore.length === 0 ? [] : [{ paths: foundBefore, list: before }]),
      ...(foundAfter.length === 0 || after === undefined ? [] : [{ paths: foundAfter, list: after }]),
    ]);
  }

  has(path: string): boolean {
    return this.#lists.some(({ paths }) => covers(paths, path));
  }

  valueAtStart(path: string, blobs: Pick<BlobStore, "get">): Value {
    const value = valueIn(this.#first, path, blobs);
    if (value.kind !== "absent") return value;
    const later = this.#lists.find(({ paths }) => covers(paths, path));
    return later ? valueIn(later.list, path, blobs) : value;
  }
}

const covers = (paths: readonly string[], path: string): boolean =>
  paths.some((found) => path === found || path.startsWith(`${found}/`));
