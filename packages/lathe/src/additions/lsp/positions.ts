// Converts places between the protocol (lines from 0, characters in the negotiated encoding) and what users and the
// model read (lines from 1, columns of the text).

/** How a server counts characters. */
export type Encoding = "utf-8" | "utf-16" | "utf-32";

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/);

/** The column of a protocol character in the string; at most the end of the line. */
export function columnOf(line: string, character: number, encoding: Encoding): number {
  if (encoding === "utf-16") return Math.min(character, line.length);
  let counted = 0;
  let column = 0;
  for (const one of line) {
    if (counted >= character) break;
    counted += encoding === "utf-8" ? Buffer.byteLength(one) : 1;
    column += one.length;
  }
  return column;
}

export function characterOf(line: string, column: number, encoding: Encoding): number {
  const before = line.slice(0, column);
  if (encoding === "utf-16") return before.length;
  return encoding === "utf-8" ? Buffer.byteLength(before) : [...before].length;
}

export function positionAt(text: string, offset: number, encoding: Encoding): Position {
  const before = linesOf(text.slice(0, offset));
  const last = before.at(-1) as string;
  return { line: before.length - 1, character: characterOf(last, last.length, encoding) };
}

/**
 * The column of a name on a line: `name`, or `name#2` for its second occurrence; an exact match first, then one that
 * ignores case.
 */
export function findSymbol(line: string, symbol: string): number | undefined {
  const [, name = symbol, count = "1"] = /^(.+)#(\d+)$/s.exec(symbol) ?? [];
  const text = escapePattern(name);
  for (const pattern of [
    wordPattern(name, "gu"),
    wordPattern(name, "giu"),
    new RegExp(text, "gu"),
    new RegExp(text, "giu"),
  ]) {
    const found = [...line.matchAll(pattern)];
    if (found.length > 0) return found[Math.max(1, Number(count)) - 1]?.index;
  }
  return undefined;
}

/** The column of the first name on a line, when only the line is known. */
export const firstName = (line: string): number => Math.max(0, line.search(/[\p{L}_$]/u));

/** The name as a whole word of code. */
export const wordPattern = (name: string, flags: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_$])${escapePattern(name)}(?![\\p{L}\\p{N}_$])`, flags);

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
