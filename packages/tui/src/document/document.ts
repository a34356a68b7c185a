// The text being edited: lines, a cursor between clusters, and undo for every change. The cost of a change depends on
// its size, not on the size of the text.

import { boundaryAfter, boundaryBefore, snapToCluster } from "./clusters.ts";
import { endOf, isBefore, isSame, type Place, START } from "./place.ts";

interface Edit {
  readonly at: Place;
  readonly removed: string;
  readonly inserted: string;
}

/** The changes that one undo reverts. */
interface Step {
  readonly edits: Edit[];
  readonly before: Place;
  after: Place;
  /** Typing and deleting extend the previous step if nothing else happened in between. */
  readonly kind: "type" | "delete" | "other";
}

export class Document {
  #lines: string[] = [""];
  #cursor: Place = START;
  #done: Step[] = [];
  #undone: Step[] = [];
  #isSealed = true;
  #open: Step | undefined;
  /** Changes whenever the text does. */
  version = 0;

  get lines(): readonly string[] {
    return this.#lines;
  }

  get cursor(): Place {
    return this.#cursor;
  }

  get text(): string {
    return this.#lines.join("\n");
  }

  get isEmpty(): boolean {
    return this.#lines.length === 1 && this.#lines[0] === "";
  }

  get end(): Place {
    const line = this.#lines.length - 1;
    return { line, offset: this.line(line).length };
  }

  line(index: number): string {
    return this.#lines[index] ?? "";
  }

  /** Also ends the current undo step. */
  moveTo(place: Place): void {
    this.#isSealed = true;
    this.#cursor = this.#clampPlace(place);
  }

  textBetween(from: Place, to: Place): string {
    if (from.line === to.line) return this.line(from.line).slice(from.offset, to.offset);
    const whole = this.#lines.slice(from.line + 1, to.line);
    return [this.line(from.line).slice(from.offset), ...whole, this.line(to.line).slice(0, to.offset)].join("\n");
  }

  /** Replaces the text between two places; the cursor goes after the new text. */
  replace(from: Place, to: Place, text: string, kind: Step["kind"] = "other"): void {
    if (isSame(from, to) && text === "") return;
    const edit = { at: from, removed: this.textBetween(from, to), inserted: text };
    const step = this.#stepFor(kind, edit);
    this.#apply(edit);
    this.#cursor = this.#clampPlace(endOf(from, text));
    step.after = this.#cursor;
    this.#undone = [];
    this.#isSealed = kind === "other";
  }

  /** Groups all changes made inside into one undo step. */
  together(change: () => void): void {
    if (this.#open !== undefined) {
      change();
      return;
    }
    const step: Step = { edits: [], before: this.#cursor, after: this.#cursor, kind: "other" };
    this.#open = step;
    try {
      change();
    } finally {
      this.#open = undefined;
    }
    if (step.edits.length > 0) this.#done.push({ ...step, after: this.#cursor });
    this.#isSealed = true;
  }

  undo(): boolean {
    const step = this.#done.pop();
    if (step === undefined) return false;
    for (const edit of step.edits.toReversed()) {
      this.#apply({ at: edit.at, removed: edit.inserted, inserted: edit.removed });
    }
    this.#undone.push(step);
    this.moveTo(step.before);
    return true;
  }

  redo(): boolean {
    const step = this.#undone.pop();
    if (step === undefined) return false;
    for (const edit of step.edits) this.#apply(edit);
    this.#done.push(step);
    this.moveTo(step.after);
    return true;
  }

  /** Empties the text and its undo history. */
  reset(): void {
    this.#lines = [""];
    this.#cursor = START;
    this.#done = [];
    this.#undone = [];
    this.#isSealed = true;
    this.version++;
  }

  before(place: Place): Place {
    if (place.offset > 0) return { ...place, offset: boundaryBefore(this.line(place.line), place.offset) };
    return place.line === 0 ? place : { line: place.line - 1, offset: this.line(place.line - 1).length };
  }

  after(place: Place): Place {
    const line = this.line(place.line);
    if (place.offset < line.length) return { ...place, offset: boundaryAfter(line, place.offset) };
    return place.line === this.#lines.length - 1 ? place : { line: place.line + 1, offset: 0 };
  }

  /** The number of characters before a place, including line breaks: an index into the text as one string. */
  index(place: Place): number {
    let index = place.offset;
    for (let line = 0; line < place.line; line++) index += this.line(line).length + 1;
    return index;
  }

  placeAt(index: number): Place {
    let rest = index;
    for (const [line, text] of this.#lines.entries()) {
      if (rest <= text.length) return { line, offset: rest };
      rest -= text.length + 1;
    }
    return this.end;
  }

  #clampPlace({ line, offset }: Place): Place {
    const index = Math.max(0, Math.min(line, this.#lines.length - 1));
    return { line: index, offset: snapToCluster(this.line(index), index === line ? offset : this.line(index).length) };
  }

  #stepFor(kind: Step["kind"], edit: Edit): Step {
    if (this.#open !== undefined) {
      this.#open.edits.push(edit);
      return this.#open;
    }
    const last = this.#done.at(-1);
    if (last !== undefined && !this.#isSealed && last.kind === kind && joins(last, edit)) {
      last.edits.push(edit);
      return last;
    }
    const step: Step = { edits: [edit], before: this.#cursor, after: this.#cursor, kind };
    this.#done.push(step);
    return step;
  }

  #apply({ at, removed, inserted }: Edit): void {
    const to = endOf(at, removed);
    const first = this.line(at.line).slice(0, at.offset);
    const last = this.line(to.line).slice(to.offset);
    this.version++;
    if (at.line === to.line && !inserted.includes("\n")) {
      this.#lines[at.line] = first + inserted + last;
      return;
    }
    const lines = (first + inserted + last).split("\n");
    this.#lines = this.#lines.slice(0, at.line).concat(lines, this.#lines.slice(to.line + 1));
  }
}

/** A word after a space starts a new undo step. */
function joins(step: Step, edit: Edit): boolean {
  const last = step.edits.at(-1);
  if (last === undefined) return false;
  if (step.kind === "delete") return !isBefore(last.at, edit.at);
  return isSame(endOf(last.at, last.inserted), edit.at) && !(/\s$/.test(last.inserted) && /^\S/.test(edit.inserted));
}
