// Parses a word as bash does: quotes, globs and braces, with the expansions inside.

import { readBackticks, readDollar, readNested, readQuotedPiece } from "./expansions.ts";
import { type Cursor, onlyInBash, ShellDoubt, type Word } from "./syntax.ts";
import { plainRun, type ReadScript, WordBuilder } from "./word-builder.ts";

export interface WordMode {
  /** The right side of `=~`: parentheses and bars are part of the word. */
  readonly isRegex?: boolean;
}

/** Characters without special meaning. */
const ORDINARY = /[^ \t\n;&|()<>'"\\$`]+/y;

const ENDS = new Set([" ", "\t", "\n", ";", "&", "|", "(", ")", "<", ">"]);

export function readWord(cursor: Cursor, readScript: ReadScript, mode: WordMode = {}): Word {
  const start = cursor.position;
  const word = new WordBuilder();
  while (cursor.position < cursor.end) {
    const char = cursor.text[cursor.position] as string;
    const next = cursor.position + 1 < cursor.end ? (cursor.text[cursor.position + 1] as string) : "";
    if ((char === "<" || char === ">") && next === "(" && !mode.isRegex) {
      readProcessSubstitution(cursor, word, readScript);
    } else if (char === "(" && /^[A-Za-z_]\w*\+?=$/.test(word.value) && !word.isQuoted) {
      readArray(cursor, word, readScript);
    } else if (char === "(" && /[?*+@!]$/.test(word.value) && word.marks.endsWith("p") && !mode.isRegex) {
      throw new ShellDoubt("extended globs are not understood");
    } else if (ENDS.has(char) && !(mode.isRegex && /[()|]/.test(char))) {
      break;
    } else {
      readPiece(cursor, word, readScript);
    }
  }
  if (cursor.position === start) throw new ShellDoubt("unexpected syntax");
  return expandTilde(word, cursor.home).finish(start, cursor.position);
}

/** A character, quoted string or expansion outside double quotes. */
function readPiece(cursor: Cursor, word: WordBuilder, readScript: ReadScript): void {
  const char = cursor.text[cursor.position] as string;
  switch (char) {
    case "'":
      word.isQuoted = true;
      word.add(readUntil(cursor, "'"), "q");
      return;
    case '"':
      word.isQuoted = true;
      readDoubleQuoted(cursor, word, readScript);
      return;
    case "\\": {
      const escaped = cursor.text[cursor.position + 1];
      if (escaped === undefined || cursor.position + 1 >= cursor.end) throw new ShellDoubt("ends in a backslash");
      cursor.position += 2;
      // Bash joins the lines before it looks for `$(`, names and operators.
      if (escaped === "\n") throw new ShellDoubt("a word goes on in the next line");
      word.isQuoted = true;
      word.add(escaped, "q");
      return;
    }
    case "$":
      readDollar(cursor, word, readScript, false);
      return;
    case "`":
      readBackticks(cursor, word, readScript, false);
      return;
    default: {
      // In a regular expression it may be an operator, which is added as a single character.
      const run = plainRun(cursor, ORDINARY) || char;
      word.add(run, "p");
      cursor.position += run.length;
    }
  }
}

function readDoubleQuoted(cursor: Cursor, word: WordBuilder, readScript: ReadScript): void {
  cursor.position++;
  while (cursor.position < cursor.end) {
    const char = cursor.text[cursor.position] as string;
    if (char === '"') {
      cursor.position++;
      return;
    }
    if (char === "\n" && cursor.pending.length > 0) throw new ShellDoubt("a here-document inside a quoted text");
    readQuotedPiece(cursor, word, readScript, '$`"\\');
  }
  throw new ShellDoubt("a quote is not closed");
}

function readProcessSubstitution(cursor: Cursor, word: WordBuilder, readScript: ReadScript): void {
  onlyInBash(cursor);
  const start = cursor.position;
  cursor.position += 2;
  word.inner.push({ kind: "script", script: readNested(cursor, readScript, "parenthesis"), start });
  word.isStream ||= word.value === "";
  word.unknown(cursor.text.slice(start, cursor.position), false);
}

function readArray(cursor: Cursor, word: WordBuilder, readScript: ReadScript): void {
  onlyInBash(cursor);
  cursor.position++;
  word.isArray = true;
  for (;;) {
    while (cursor.position < cursor.end && /[ \t\n]/.test(cursor.text[cursor.position] as string)) {
      if (cursor.text[cursor.position] === "\n" && cursor.pending.length > 0)
        throw new ShellDoubt("a here-document inside an array");
      cursor.position++;
    }
    if (cursor.position >= cursor.end) throw new ShellDoubt("an array is not closed");
    if (cursor.text[cursor.position] === ")") break;
    if (/[#[]/.test(cursor.text[cursor.position] as string))
      throw new ShellDoubt("array elements that are not understood");
    const element = readWord(cursor, readScript);
    word.inner.push(...element.inner);
    word.unknown(`${element.value} `, false);
  }
  cursor.position++;
}

/** The text up to `quote`, which is consumed. */
function readUntil(cursor: Cursor, quote: string): string {
  const start = cursor.position + 1;
  const close = cursor.text.indexOf(quote, start);
  if (close < 0 || close >= cursor.end) throw new ShellDoubt("a quote is not closed");
  const text = cursor.text.slice(start, close);
  if (text.includes("\n") && cursor.pending.length > 0) throw new ShellDoubt("a here-document inside a quoted text");
  cursor.position = close + 1;
  return text;
}

/** `~` and `~/…` at the beginning of a word or of an assigned value. */
function expandTilde(word: WordBuilder, home: string | undefined): WordBuilder {
  const at = /^(?:[A-Za-z_]\w*\+?=)?~/.exec(word.value);
  if (!at) return word;
  const index = at[0].length - 1;
  if (word.marks[index] !== "p" || !/^p*$/.test(word.marks.slice(0, index))) return word;
  const follows = word.value[index + 1];
  const isOwn = follows === undefined || (follows === "/" && word.marks[index + 1] === "p");
  const [value, mark] = isOwn && home !== undefined ? [home, "q"] : ["~", "x"];
  word.value = word.value.slice(0, index) + value + word.value.slice(index + 1);
  word.marks = word.marks.slice(0, index) + mark.repeat(value.length) + word.marks.slice(index + 1);
  return word;
}
