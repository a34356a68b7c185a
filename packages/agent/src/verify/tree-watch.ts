// What an input has changed: the files at its beginning are journalled before its first call that may change any, so
// that another process can compare with them too.

import { isAbsolute, relative } from "node:path";
import { isJsonObject } from "@lathe/llm";
import type { PathState } from "../files/isolate/landing-journal.ts";
import { differences, entriesIn } from "../files/snapshots/compare.ts";
import { type SnapshotOptions, Snapshots } from "../files/snapshots/recorder.ts";
import type { Value } from "../files/snapshots/tree.ts";
import { isInside } from "../world/env/is-inside.ts";
import { IS_MADE } from "./freshness.ts";
import type { RestsOn } from "./rests-on.ts";
import type { Change, FilesBefore } from "./types.ts";

/** The journal's kind for the beginning of the work; watches for other work use another one. */
const BASE = "verification_base";

/** The files when the work began. */
export interface WorkBase {
  /** The list of files: a blob. */
  readonly tree: string;
  /** When the list was made, in milliseconds. */
  readonly at: number;
}

/** What has changed since. */
export interface WorkNow {
  readonly tree: string;
  readonly changes: readonly Change[];
  /** Changed files that are too large to be kept. */
  readonly uncovered: readonly string[];
}

/** Which files are watched, and where the journal records it. */
export interface WatchOptions extends SnapshotOptions {
  readonly root: string;
  readonly now: () => number;
  /** Files that checks rest on are watched even if git ignores them. */
  readonly rests?: RestsOn | undefined;
  /** The journal's kind for the beginning of this work. */
  readonly base?: string | undefined;
}

/** Knows what has changed since the work began. */
export class TreeWatch {
  readonly #options: WatchOptions;
  readonly #snapshots: Snapshots;
  readonly #kind: string;
  #last: Promise<unknown> = Promise.resolve();
  /** Null: none; undefined: the journal was not read yet. */
  #base: WorkBase | null | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#kind = options.base ?? BASE;
    const { rests, root } = options;
    const isWanted = (path: string): boolean => isInside(path, root) && !IS_MADE.test(path) && isRestedBelow(path);
    const isRestedBelow = (path: string): boolean => rests?.isRested(relative(root, path)) ?? false;
    this.#snapshots = new Snapshots(rests ? { ...options, coversIgnored: isWanted } : options);
  }

  /** Undefined if no work has begun since the last verdict that holds. */
  get base(): WorkBase | undefined {
    if (this.#base === undefined) {
      const line = [...this.#options.journal.outside("host")].findLast(({ kind }) => kind === this.#kind);
      this.#base = isWorkBase(line?.data) ? line.data : null;
    }
    return this.#base ?? undefined;
  }

  /** False if the project has too many files, so that only files named by a call are watched. */
  get seesAll(): boolean {
    return this.#snapshots.coversRoots;
  }

  /** Records the current files, unless earlier work has no verdict yet. */
  begin(): Promise<void> {
    return this.#inOrder(async () => {
      if (this.base) return;
      // Taken before the look, so that a change during the look counts as later.
      const at = this.#options.now();
      const { blob } = await this.#snapshots.look();
      this.#write({ tree: blob, at });
    });
  }

  /** The work has its verdict; the next work starts over. */
  settle(): void {
    if (this.base) this.#write(null);
  }

  /** Compares with the base; undefined if there is none. */
  look(): Promise<WorkNow | undefined> {
    return this.#inOrder(async () => {
      const { base } = this;
      if (!base) return undefined;
      const { blob } = await this.#snapshots.look();
      return { tree: blob, ...this.#changesBetween(base.tree, blob) };
    });
  }

  /** Absolute paths of the files when the work began. */
  baseFiles(): FilesBefore {
    const { base } = this;
    const entries = base ? entriesIn(base.tree, this.#options.blobs) : [];
    return {
      files: entries.map(({ path }) => path),
      links: entries.flatMap(({ path, value }) => (value.kind === "link" ? [{ path, target: value.target }] : [])),
    };
  }

  #changesBetween(before: string, after: string): Pick<WorkNow, "changes" | "uncovered"> {
    const { root, blobs } = this.#options;
    const changes: Change[] = [];
    const uncovered: string[] = [];
    for (const difference of differences(before, after, blobs)) {
      const { path } = difference;
      if (!isAbsolute(path) || !path.startsWith(`${root}/`)) continue;
      const [old, now] = [this.#stateOf(difference.before), this.#stateOf(difference.after)];
      if (old === undefined || now === undefined) uncovered.push(path);
      else if (old.kind !== "absent" || now.kind !== "absent")
        changes.push({ path, top: root, before: old, after: now });
    }
    return { changes, uncovered };
  }

  /** Undefined if its content is not kept. A folder counts as nothing, because its files are listed. */
  #stateOf(value: Value): PathState | undefined {
    switch (value.kind) {
      case "file": {
        const bytes = this.#options.blobs.get(value.hash);
        return bytes && { kind: "file", mode: value.mode, bytes };
      }
      case "link":
        return { kind: "link", target: value.target };
      case "uncovered":
        return undefined;
      default:
        return { kind: "absent" };
    }
  }

  #write(base: WorkBase | null): void {
    this.#base = base;
    this.#options.journal.write({ type: "host", kind: this.#kind, data: base && { ...base } });
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }
}

const isWorkBase = (data: unknown): data is WorkBase =>
  isJsonObject(data) && typeof data["tree"] === "string" && typeof data["at"] === "number";
