// Which lines of an opened text a read shows, and how to continue.

import { wellFormed } from "../../base/text/well-formed.ts";
import { ToolFailure } from "../../contract/tool.ts";
import type { OpenedText } from "../target/opened.ts";
import { type LineRange, withSurroundings } from "../target/selector.ts";

interface Row {
  readonly number: number;
  readonly text: string;
}

export interface Window {
  /** `undefined` marks lines that are left out between two ranges. */
  readonly rows: readonly (Row | undefined)[];
  /** Number of lines shown. */
  readonly shown: number;
  /** Number of the first line shown. */
  readonly first: number;
  /** Number of the text's last line, as far as known. */
  readonly total: number;
  /** The line to continue with; absent at the end. */
  readonly next?: number;
  /** The limit that ended it before the last line: the number of lines, or of bytes. */
  readonly endedBy?: "lines" | "bytes";
  /** Shown instead if there is no such line. */
  readonly advice?: string;
  /** The text alone, without line numbers. */
  readonly isRaw: boolean;
}

export interface WindowLimits {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  /** Used if the call names no end. */
  readonly defaultLimit: number;
  /** Context lines around a range of a selector. */
  readonly around?: { readonly before: number; readonly after: number } | undefined;
  /** Limit in bytes: at least `least`, and more for more lines. */
  readonly room?: { readonly least: number; readonly perLine: number } | undefined;
}

const NOTHING_AROUND = { before: 0, after: 0 };

export function windowOf(opened: OpenedText, limits: WindowLimits): Window {
  const { path, lines, first: firstKnown, selector } = opened;
  const { offset, limit, defaultLimit } = limits;
  const total = firstKnown + lines.length - 1;
  if (selector && (offset ?? limit) !== undefined) {
    throw new ToolFailure("Name the lines in the path or by offset and limit, not both.");
  }
  if (selector?.chars) return charsOf(opened, selector.chars);
  if (offset !== undefined && offset > Math.max(1, total)) {
    throw new ToolFailure(`${path} has ${total} lines; offset ${offset} is beyond its end.`);
  }
  const from = offset ?? 1;
  const asked = selector?.ranges ?? [limit === undefined ? { first: from } : { first: from, last: from + limit - 1 }];
  const ranges: readonly LineRange[] = asked.length === 0 ? [{ first: 1 }] : asked;
  const isRaw = selector?.raw ?? false;
  const around = isRaw ? NOTHING_AROUND : (limits.around ?? NOTHING_AROUND);
  const spans = withSurroundings(ranges, total, around).map((span) => ({
    ...span,
    first: Math.max(span.first, firstKnown),
  }));
  const wanted = spans.reduce((sum, span) => sum + span.last - span.first + 1, 0);
  const isBounded = ranges.every((range) => range.last !== undefined);
  const usual = selector || offset !== undefined ? defaultLimit : Math.min(defaultLimit, opened.most ?? defaultLimit);
  const most = isBounded ? wanted : Math.min(wanted, limit ?? usual);
  let room = limits.room ? Math.max(limits.room.least, most * limits.room.perLine) : Number.POSITIVE_INFINITY;
  const rows: (Row | undefined)[] = [];
  let shown = 0;
  let number = 0;
  const result = (): Omit<Window, "next" | "endedBy"> => ({
    rows,
    shown,
    first: spans[0]?.first ?? from,
    total,
    isRaw,
  });
  for (const span of spans) {
    if (rows.length > 0 && !isRaw) rows.push(undefined);
    for (number = span.first; number <= span.last; number++) {
      const text = lines[number - firstKnown] as string;
      room -= Buffer.byteLength(text) + String(number).length + 2;
      if (shown === most) return { ...result(), next: number, endedBy: "lines" };
      if (room < 0 && shown > 0) return { ...result(), next: number, endedBy: "bytes" };
      rows.push({ number, text });
      shown++;
    }
  }
  if (shown === 0) {
    const advice =
      total === 0 ? "(empty file)" : `(${path} has ${total} lines; the requested lines are beyond its end)`;
    return { ...result(), advice };
  }
  return number <= total ? { ...result(), next: number, endedBy: "lines" } : result();
}

function charsOf({ path, lines }: OpenedText, { first: from, last }: LineRange): Window {
  const text = lines.join("\n");
  const part = wellFormed(text.slice(from - 1, last));
  const rows = part.split("\n").map((line, index) => ({ number: index + 1, text: line }));
  const window = { rows, shown: rows.length, first: 1, total: lines.length, isRaw: true };
  return part === "" ? { ...window, advice: `(${path} has ${text.length} characters)` } : window;
}
