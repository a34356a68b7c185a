// The conflicts that this session has shown, by the numbers that conflict:// addresses name them by.

import { type ConflictRegion, conflictRegions } from "../../../edit/conflict-regions.ts";

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    /** Unresolved conflicts that reads have shown; absent: files are not read for conflicts. */
    readonly conflicts?: Conflicts;
  }
}

/** A region of a file that somebody has to decide, and its number. */
export interface Conflict {
  readonly id: number;
  /** As the read that showed it named the file. */
  readonly path: string;
  readonly absolute: string;
  readonly region: ConflictRegion;
}

/** A file as it was read. */
export interface ConflictedFile {
  readonly path: string;
  readonly absolute: string;
  /** With "\n" endings. */
  readonly text: string;
}

/** The conflicts that a session has shown and that are not settled yet. */
export class Conflicts {
  #next = 1;
  /** Not settled yet, in order of their numbers. */
  readonly #open = new Map<number, Conflict>();
  readonly #settled = new Set<number>();

  /** The file's conflicts. One that was shown before keeps its number; those that are gone from the file are settled. */
  record(file: ConflictedFile): readonly Conflict[] {
    const regions = conflictRegions(file.text);
    const known = this.#of(file.absolute);
    const found = regions.map((region, index): Conflict => {
      const nth = regions.slice(0, index).filter(({ text }) => text === region.text).length;
      const same = known.filter((conflict) => conflict.region.text === region.text)[nth];
      return { id: same?.id ?? this.#next++, path: file.path, absolute: file.absolute, region };
    });
    const kept = new Set(found.map(({ id }) => id));
    this.settle(known.flatMap(({ id }) => (kept.has(id) ? [] : [id])));
    for (const conflict of found) this.#open.set(conflict.id, conflict);
    return found;
  }

  open(): readonly Conflict[] {
    return [...this.#open.values()].sort((a, b) => a.id - b.id);
  }

  get(id: number): Conflict | undefined {
    return this.#open.get(id);
  }

  wasSettled(id: number): boolean {
    return this.#settled.has(id);
  }

  settle(ids: readonly number[]): void {
    for (const id of ids) {
      this.#open.delete(id);
      this.#settled.add(id);
    }
  }

  /** Where the conflict now is in its file; undefined when it is not there as it was shown. */
  find({ id, absolute, region }: Conflict, text: string): ConflictRegion | undefined {
    const alike = this.#of(absolute).filter((other) => other.region.text === region.text);
    const there = conflictRegions(text).filter((other) => other.text === region.text);
    // Of several that read the same, one that was settled another way cannot be told from the others.
    return there.length === alike.length ? there[alike.findIndex((other) => other.id === id)] : undefined;
  }

  /** In order of their places. */
  #of(absolute: string): Conflict[] {
    return this.open()
      .filter((conflict) => conflict.absolute === absolute)
      .sort((a, b) => a.region.start - b.region.start);
  }
}
