// Line endings, kept apart from the text: edits work on text with "\n" endings, and the file's own endings are restored
// when it is encoded. A replaced line keeps its ending; an added one takes its predecessor's.

/** A line ending. */
export type Ending = "\n" | "\r\n" | "\r";

/** One ending for the whole text, or one for each of its line breaks. */
export type Endings = Ending | readonly Ending[];

/** A range of a text and its replacement. */
export interface TextEdit {
  /** Offsets into text with "\n" endings; the edits of a list are sorted and do not overlap. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const breaks = /\r\n|\r|\n/g;

export function toLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(breaks, "\n") : text;
}

export function splitEndings(raw: string): { text: string; endings: Endings } {
  if (!raw.includes("\r")) return { text: raw, endings: "\n" };
  const list = raw.match(breaks) as Ending[];
  const first = list[0] as Ending;
  return { text: raw.replace(breaks, "\n"), endings: list.every((ending) => ending === first) ? first : list };
}

export function joinEndings(text: string, endings: Endings): string {
  if (endings === "\n") return text;
  if (typeof endings === "string") return text.replaceAll("\n", endings);
  let index = 0;
  return text.replace(/\n/g, (_, at: number) => {
    const ending = endings[index++] ?? "\n";
    // A lone carriage return before an empty line that ends in a line feed would read as one break instead of two.
    return ending === "\r" && text[at + 1] === "\n" && endings[index] === "\n" ? "\r\n" : ending;
  });
}

export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = "";
  let from = 0;
  for (const edit of edits) {
    if (edit.start < from || edit.end < edit.start || edit.end > text.length) {
      throw new RangeError(`edit ${edit.start}-${edit.end} overlaps another one or leaves the text`);
    }
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return result + text.slice(from);
}

/**
 * The endings of `applyEdits(text, edits)`: inside an edit, the n-th new break takes the ending of the n-th removed
 * one.
 */
export function endingsAfter(text: string, endings: Endings, edits: readonly TextEdit[]): Endings {
  if (typeof endings === "string") return endings;
  const result: Ending[] = [];
  let position = 0;
  let line = 0;
  for (const edit of edits) {
    const kept = countBreaks(text, position, edit.start);
    for (const ending of endings.slice(line, line + kept)) result.push(ending);
    line += kept;
    const removed = countBreaks(text, edit.start, edit.end);
    const added = countBreaks(edit.text, 0, edit.text.length);
    for (let index = 0; index < added; index++) {
      const inherited = index < removed ? endings[line + index] : result.at(-1);
      result.push(inherited ?? endings[0] ?? "\n");
    }
    line += removed;
    position = edit.end;
  }
  for (const ending of endings.slice(line)) result.push(ending);
  return result;
}

export function countBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
