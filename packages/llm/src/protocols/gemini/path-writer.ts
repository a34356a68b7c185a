// JSON text from values at paths, as they come. Possible while each value stands after the last one in the document; a
// value that goes back ends the writing.

import type { JsonValue } from "../../types/json.ts";

export type Step = string | number;

interface OpenContainer {
  /** The step that leads into it; the root has none. */
  readonly step: Step | undefined;
  readonly isList: boolean;
  readonly written: Set<Step>;
}

export class PathWriter {
  readonly #open: OpenContainer[] = [];
  /** Path of a string whose closing quote is still to come. */
  #string: string | undefined;
  #broken = false;

  /** The text this value adds; "" when the order is broken. */
  write(steps: readonly Step[], value: JsonValue, continues: boolean): string {
    if (this.#broken || steps.length === 0) return "";
    const path = JSON.stringify(steps);
    if (this.#string === path && typeof value === "string") {
      if (!continues) this.#string = undefined;
      return `${quoteText(value).slice(1, -1)}${continues ? "" : '"'}`;
    }
    const parents = steps.slice(0, -1);
    let text = this.#closeUnlessIn(parents);
    for (const [depth, step] of steps.entries()) {
      if (depth < this.#open.length - 1) continue;
      const entered = this.#enter(step);
      if (entered === undefined) {
        this.#broken = true;
        return "";
      }
      text += entered;
      const next = steps[depth + 1];
      if (next !== undefined) text += this.#begin(step, typeof next === "number");
    }
    if (typeof value !== "string") return text + JSON.stringify(value);
    if (!continues) return text + quoteText(value);
    this.#string = path;
    return text + quoteText(value).slice(0, -1);
  }

  /** The text that closes the document, or undefined when what was written is not it. */
  finish(): string | undefined {
    if (this.#broken) return undefined;
    if (this.#open.length === 0) return "{}";
    return this.#endString() + this.#closeTo(0);
  }

  /** Closes what the next value is not inside of. */
  #closeUnlessIn(parents: readonly Step[]): string {
    if (this.#open.length === 0) return this.#begin(undefined, false);
    let shared = 1;
    while (shared < this.#open.length && this.#open[shared]!.step === parents[shared - 1]) shared += 1;
    return this.#endString() + this.#closeTo(shared);
  }

  #closeTo(length: number): string {
    return this.#open
      .splice(length)
      .reverse()
      .map(({ isList }) => (isList ? "]" : "}"))
      .join("");
  }

  #endString(): string {
    const text = this.#string === undefined ? "" : '"';
    this.#string = undefined;
    return text;
  }

  #begin(step: Step | undefined, isList: boolean): string {
    this.#open.push({ step, isList, written: new Set() });
    return isList ? "[" : "{";
  }

  /** Comma and key; undefined when the place is taken, skipped or of the wrong kind. */
  #enter(step: Step): string | undefined {
    const { isList, written } = this.#open.at(-1)!;
    if (isList ? step !== written.size : typeof step !== "string" || written.has(step)) return undefined;
    const comma = written.size === 0 ? "" : ",";
    written.add(step);
    return isList ? comma : `${comma}${quoteText(String(step))}:`;
  }
}

function quoteText(text: string): string {
  return JSON.stringify(text);
}
