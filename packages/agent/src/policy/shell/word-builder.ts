// Collects a word while it is parsed: its value, which characters of it are known, and what runs while it is expanded.

import type { Cursor, Inner, Script, Word } from "./syntax.ts";

/** Parses a script up to `)` or the end of the cursor; passed in because scripts consist of words. */
export type ReadScript = (cursor: Cursor, isEnd: "parenthesis" | "end") => Script;

/** The path that bash substitutes for a process substitution. */
const STREAM = "/dev/fd/";

/** The characters from here on that match `run`, a sticky expression. */
export function plainRun({ text, position, end }: Cursor, run: RegExp): string {
  run.lastIndex = position;
  return run.test(text) ? text.slice(position, Math.min(run.lastIndex, end)) : "";
}

/** Collects the value of a word while it is parsed. */
export class WordBuilder {
  value = "";
  /** One character per character of `value`: q quoted, p plain, x unknown until it runs. */
  marks = "";
  isSplit = false;
  isQuoted = false;
  isArray = false;
  /** It is the path of a pipe. */
  isStream = false;
  readonly inner: Inner[] = [];

  add(text: string, mark: "q" | "p" | "x"): void {
    this.value += text;
    this.marks += text.length === 1 ? mark : mark.repeat(text.length);
  }

  /** Adds something that is unknown until it runs. */
  unknown(text: string, isSplit: boolean): void {
    this.add(text, "x");
    this.isSplit ||= isSplit;
  }

  finish(start: number, end: number): Word {
    const assignment = /^([A-Za-z_]\w*)\+?=/.exec(this.value);
    const isAssignment = assignment !== null && /^p+$/.test(this.marks.slice(0, assignment[0].length));
    const pattern = this.#firstPattern();
    const unknown = this.marks.indexOf("x");
    const fixed = Math.min(unknown < 0 ? this.value.length : unknown, pattern);
    const isKnown = fixed === this.value.length && !this.isArray;
    return {
      start,
      end,
      value: this.value,
      lead: this.isStream ? STREAM : this.value.slice(0, fixed),
      isKnown,
      isSplit: this.isSplit || pattern < this.value.length,
      hasBlanks: this.isSplit,
      isQuoted: this.isQuoted,
      inner: this.inner,
      ...(isAssignment && {
        assignment: {
          name: assignment[1] as string,
          value: this.value.slice(assignment[0].length),
          isArray: this.isArray,
        },
      }),
    };
  }

  /** Position of the first glob or brace expansion; the length of the word if there is none. */
  #firstPattern(): number {
    if (!/[*?[{]/.test(this.value)) return this.value.length;
    const plain = [...this.marks].map((mark, index) => (mark === "p" ? this.value[index] : "\0")).join("");
    const [bracket, brace] = [plain.indexOf("["), plain.indexOf("{")];
    const inBraces = plain.slice(brace, plain.lastIndexOf("}") + 1);
    const found = [
      plain.search(/[*?]/),
      plain.lastIndexOf("]") > bracket ? bracket : -1,
      inBraces.includes(",") || inBraces.includes("..") ? brace : -1,
    ];
    return Math.min(...found.map((index) => (index < 0 ? this.value.length : index)));
  }
}
