// The units that the cursor moves over: a grapheme, or a mark. Each knows its display text, since a control character
// or a mark takes several columns.

import { segmentsOf } from "../rows/segments.ts";
import { visible } from "../rows/visible.ts";
import { shorten, widthOf } from "../rows/width.ts";
import { isMark, type Marks } from "./marks.ts";

export interface Cluster {
  readonly offset: number;
  readonly text: string;
  readonly shown: string;
  readonly width: number;
}

const ASCII = /^[ -~]*$/;
const MARKS = /([\u{100000}-\u{10fffd}])/u;

/** A label wider than `room` is shortened, so that a cluster always fits into one row. */
export function clustersOf(line: string, marks: Marks, room: number): readonly Cluster[] {
  if (ASCII.test(line)) {
    return Array.from(line, (text, offset) => ({ offset, text, shown: text, width: 1 }));
  }
  const clusters: Cluster[] = [];
  for (const { text, offset } of pieces(line)) {
    const { shown, width } = isMark(text) ? measure(marks.at(text)?.label ?? "", room) : looksOf(text, room);
    clusters.push({ offset, text, shown, width });
  }
  return clusters;
}

/** Offsets between clusters, including the start and end of the line. */
export function boundaries(line: string): readonly number[] {
  return [...Array.from(pieces(line), ({ offset }) => offset), line.length];
}

/** The next boundary after an offset, or the line's end. */
export function boundaryAfter(line: string, offset: number): number {
  if (isPlain(line, offset) && isPlain(line, offset + 1)) return offset + 1;
  for (const piece of piecesAround(line, offset)) if (piece.offset > offset) return piece.offset;
  return line.length;
}

export function boundaryBefore(line: string, offset: number): number {
  if (
    isPlain(line, offset - 1) &&
    (offset === line.length || isPlain(line, offset)) &&
    (offset < 2 || isPlain(line, offset - 2))
  ) {
    return offset - 1;
  }
  let found = 0;
  for (const piece of piecesAround(line, offset)) {
    if (piece.offset >= offset) break;
    found = piece.offset;
  }
  return found;
}

/** The offset itself if it is between two clusters, otherwise the end of its cluster. */
export function snapToCluster(line: string, offset: number): number {
  if (offset <= 0) return 0;
  if (offset >= line.length) return line.length;
  if (isPlain(line, offset) && isPlain(line, offset - 1)) return offset;
  for (const piece of piecesAround(line, offset)) if (piece.offset >= offset) return piece.offset;
  return line.length;
}

/** Between two of these characters there is always a boundary. */
const isPlain = (line: string, at: number): boolean => {
  const code = line.charCodeAt(at);
  return code >= 0x20 && code <= 0x7e;
};

/** Clusters from the last certain boundary before the offset on: between two plain characters, or the line's start. */
function* piecesAround(line: string, offset: number): Generator<{ text: string; offset: number }> {
  let start = Math.min(offset, line.length) - 1;
  while (start > 0 && !(isPlain(line, start) && isPlain(line, start - 1))) start--;
  start = Math.max(0, start);
  for (const piece of pieces(line.slice(start))) yield { text: piece.text, offset: piece.offset + start };
}

function* pieces(line: string): Generator<{ text: string; offset: number }> {
  let offset = 0;
  for (const part of MARKS.test(line) ? line.split(MARKS) : [line]) {
    if (isMark(part)) yield { text: part, offset };
    else for (const { text, offset: index } of segmentsOf(part)) yield { text, offset: offset + index };
    offset += part.length;
  }
}

interface Looks {
  readonly shown: string;
  readonly width: number;
}

const KNOWN_LIMIT = 4096;
const known = new Map<string, Looks>();

/** A text has few different clusters, and the screen asks for them again after every key. */
function looksOf(text: string, room: number): Looks {
  const found = known.get(text);
  if (found !== undefined && found.width <= room) return found;
  const made = measure(visible(text), room);
  if (known.size >= KNOWN_LIMIT) known.clear();
  if (found === undefined && made.width < room) known.set(text, made);
  return made;
}

function measure(text: string, room: number): Looks {
  const shown = shorten(text, room);
  return { shown, width: widthOf(shown) };
}
