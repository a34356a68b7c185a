// The conflicts that this session has shown, by their numbers in conflict:// addresses.

import { type ConflictRegion, conflictRegions } from "../../edit/conflict-regions.ts";
import type { LandingRegion } from "../../isolate/types.ts";

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    /** Unresolved conflicts that reads have shown; if absent, reads do not look for conflicts. */
    readonly conflicts?: Conflicts;
  }
}

/** A conflict region of a file that the user or the model must resolve, and its number. */
export interface Conflict {
  readonly id: number;
  /** The file name used in the read that showed it. */
  readonly path: string;
  readonly absolute: string;
  readonly region: ConflictRegion;
  /** For a change that was not applied: the file contains our side, without markers, between these lines. */
  readonly between?: { readonly before: string; readonly after: string };
}

/** A file as it was read. */
export interface ConflictedFile {
  readonly path: string;
  readonly absolute: string;
  /** The text with "\n" endings. */
  readonly text: string;
}

/** Number of lines on each side that locate a change that was not applied. */
const NEIGHBOURS = 3;

/** The conflicts that a session has shown and that are not resolved yet. */
export class Conflicts {
  #next = 1;
  /** Unresolved conflicts in order of their numbers. */
  readonly #open = new Map<number, Conflict>();
  readonly #settled = new Set<number>();

  /**
   * The file's conflicts. A conflict that was shown before keeps its number; conflicts that are gone from the file are
   * resolved.
   */
  record(file: ConflictedFile): readonly Conflict[] {
    const regions = conflictRegions(file.text);
    const known = this.#of(file.absolute).filter(({ between }) => between === undefined);
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

  /**
   * Changes to the file that were not applied, because the file itself has changed. `author`: the author of the
   * changes.
   */
  addUnlanded(file: ConflictedFile, author: string, changes: readonly LandingRegion[]): readonly Conflict[] {
    const lines = file.text.split(/(?<=\n)/);
    return changes.map(({ line, ours, theirs }) => {
      const start = line - 1;
      const end = start + (ours === "" ? 0 : ours.split(/(?<=\n)/).length);
      const between = {
        before: lines.slice(Math.max(0, start - NEIGHBOURS), start).join(""),
        after: lines.slice(end, end + NEIGHBOURS).join(""),
      };
      const sides = { ours: { label: "the file", text: ours }, theirs: { label: author, text: theirs } };
      const region = { start, end, text: ours, ...sides };
      const conflict = { id: this.#next++, path: file.path, absolute: file.absolute, region, between };
      this.#open.set(conflict.id, conflict);
      return conflict;
    });
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

  /** The current position of the conflict in its file; undefined if it is no longer there as it was shown. */
  find({ id, absolute, region, between }: Conflict, text: string): ConflictRegion | undefined {
    if (between) return findBetween(region, between, text);
    const alike = this.#of(absolute).filter((other) => !other.between && other.region.text === region.text);
    const there = conflictRegions(text).filter((other) => other.text === region.text);
    // If several conflicts have the same text and one was resolved differently, we cannot tell which.
    return there.length === alike.length ? there[alike.findIndex((other) => other.id === id)] : undefined;
  }

  /** The file's conflicts in order of position. */
  #of(absolute: string): Conflict[] {
    return this.open()
      .filter((conflict) => conflict.absolute === absolute)
      .sort((a, b) => a.region.start - b.region.start);
  }
}

/** Undefined if these lines no longer exist, or occur more than once. */
function findBetween(
  region: ConflictRegion,
  { before, after }: NonNullable<Conflict["between"]>,
  text: string,
): ConflictRegion | undefined {
  const wanted = before + region.text + after;
  const at = text.indexOf(wanted);
  const isWhole = at === 0 || text[at - 1] === "\n";
  if (at === -1 || !isWhole || text.indexOf(wanted, at + 1) !== -1) return undefined;
  const start = text.slice(0, at + before.length).split("\n").length - 1;
  return { ...region, start, end: start + region.end - region.start };
}
