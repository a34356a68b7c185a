// How matches are shown: files in order, matches taken from each in turn until the space is used up, long lines cut
// around the match. Excerpts in, text out.

import type { Excerpt, SearchContext } from "./content.ts";

/** Longer lines are cut. */
export const MOST_COLUMNS = 512;
/** How much of a cut line is shown before its match. */
const LEAD = 120;

export interface Shown {
  readonly text: string;
  /** Number of excerpts in it; the others come with the next page. */
  readonly files: number;
  readonly matches: number;
  /** Something in these files was left out or cut. */
  readonly isCut: boolean;
  /** One of the lines is longer than its shown part. */
  readonly hasCutLine: boolean;
}

/** The first match of the first excerpt is always shown, even if it exceeds the space. */
export function showExcerpts(excerpts: readonly Excerpt[], around: SearchContext, room: number): Shown {
  const pages = excerpts.map((excerpt) => new Rows(excerpt, around));
  let left = room;
  let files = 0;
  // First one match of each file, then another of each: a file with many cannot crowd out the others.
  for (let round = 0, isOver = false; !isOver; round++) {
    const open = pages.slice(0, round === 0 ? pages.length : files).filter((rows) => round < rows.count);
    isOver = open.length === 0;
    for (const rows of open) {
      const cost = rows.costOf(round);
      if (cost > left && !(round === 0 && files === 0)) {
        isOver = true;
        break;
      }
      left -= cost;
      rows.take(round);
      if (round === 0) files++;
    }
  }
  const shown = pages.slice(0, files);
  return {
    text: shown.map((rows) => rows.text()).join("\n\n"),
    files,
    matches: shown.reduce((sum, rows) => sum + rows.taken, 0),
    isCut: shown.some((rows) => rows.isCut),
    hasCutLine: shown.some((rows) => rows.hasCutLine),
  };
}

/** Everything known about these excerpts, uncut. */
export const wholeExcerpts = (excerpts: readonly Excerpt[], around: SearchContext): string =>
  excerpts
    .map((excerpt) => {
      const rows = new Rows(excerpt, around, Number.POSITIVE_INFINITY);
      for (let index = 0; index < rows.count; index++) rows.take(index);
      return rows.text();
    })
    .join("\n\n");

class Rows {
  readonly #excerpt: Excerpt;
  readonly #around: SearchContext;
  readonly #columns: number;
  readonly #rows = new Map<number, string>();
  taken = 0;
  hasCutLine = false;

  constructor(excerpt: Excerpt, around: SearchContext, columns = MOST_COLUMNS) {
    this.#excerpt = excerpt;
    this.#around = around;
    this.#columns = columns;
  }

  get count(): number {
    return this.#excerpt.hits.length;
  }

  get isCut(): boolean {
    return this.hasCutLine || this.taken < this.count;
  }

  costOf(index: number): number {
    const header = index === 0 ? Buffer.byteLength(this.#header()) + 60 : 0;
    return this.#newRows(index).reduce((sum, [, row]) => sum + Buffer.byteLength(row) + 5, header);
  }

  take(index: number): void {
    for (const [number, row] of this.#newRows(index)) this.#rows.set(number, row);
    this.taken++;
  }

  text(): string {
    const lines = [this.#header()];
    let previous: number | undefined;
    for (const [number, row] of [...this.#rows].sort(([a], [b]) => a - b)) {
      if (previous !== undefined && number > previous + 1) lines.push("…");
      lines.push(row);
      previous = number;
    }
    const left = this.count - this.taken;
    const { path, hasMore, hits } = this.#excerpt;
    const next = (hits[this.taken - 1]?.number ?? 0) + 1;
    if (left > 0 || hasMore) lines.push(`[${hasMore ? "more" : left} matches follow; search ${path}:${next}-]`);
    return lines.join("\n");
  }

  #header(): string {
    const { path, tag } = this.#excerpt;
    return tag === undefined ? `¶${path}` : `¶${path}#${tag}`;
  }

  /** The match and the lines around it, without those already included. */
  #newRows(index: number): [number, string][] {
    const { hits, lineAt } = this.#excerpt;
    const hit = hits[index]!;
    const matching = new Set(hits.map(({ number }) => number));
    const rows: [number, string][] = [];
    for (let number = hit.number - this.#around.before; number <= hit.number + this.#around.after; number++) {
      const text = number === hit.number ? (lineAt(number) ?? hit.text) : lineAt(number);
      const isThere = this.#rows.has(number);
      // Another match is marked as one only in its turn; until then it may be a context line of this one.
      if (text === undefined || (isThere && number !== hit.number)) continue;
      const mark = matching.has(number) ? "*" : " ";
      rows.push([number, `${mark}${number}:${this.#cut(text, number === hit.number ? hit.at : undefined)}`]);
    }
    return rows;
  }

  #cut(text: string, at = 0): string {
    if (text.length <= this.#columns) return text;
    this.hasCutLine = true;
    const start = at < this.#columns - LEAD ? 0 : at - LEAD;
    const end = start + this.#columns;
    const part = text.slice(start, end).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
    return `${start > 0 ? "…" : ""}${part}${end < text.length ? "…" : ""}`;
  }
}
