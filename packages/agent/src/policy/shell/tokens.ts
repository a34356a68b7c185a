// Parses what is between words: blanks, comments, operators, redirections and here-documents.

import { readQuotedPiece } from "./expansions.ts";
import { type Cursor, onlyInBash, type Redirect, ShellDoubt, type Word } from "./syntax.ts";
import { plainRun, type ReadScript, WordBuilder } from "./word-builder.ts";
import { readWord } from "./words.ts";

/** Skips blanks, line continuations and a comment. */
export function skipBlanks(cursor: Cursor): void {
  for (;;) {
    const char = charAt(cursor);
    if (char === " " || char === "\t") cursor.position++;
    else if (char === "\\" && charAt(cursor, 1) === "\n") cursor.position += 2;
    else if (char === "#" && startsWord(cursor)) skipComment(cursor);
    else return;
  }
}

/** Moves to the next word, past spaces, line breaks and the here-document bodies that start on the line after `<<`. */
export function skipLines(cursor: Cursor, readScript: ReadScript): void {
  for (skipBlanks(cursor); charAt(cursor) === "\n"; skipBlanks(cursor)) endLine(cursor, readScript);
}

export function charAt(cursor: Cursor, ahead = 0): string {
  const at = cursor.position + ahead;
  return at < cursor.end ? (cursor.text[at] as string) : "";
}

/** A `#` in the middle of a word does not start a comment, even if the word continues from the previous line. */
function startsWord(cursor: Cursor): boolean {
  let at = cursor.position;
  while (at >= 2 && cursor.text[at - 1] === "\n" && cursor.text[at - 2] === "\\") at -= 2;
  return at === 0 || /[\s;&|()`]/.test(cursor.text[at - 1] as string);
}

function skipComment(cursor: Cursor): void {
  cursor.comments.push(cursor.position);
  const newline = cursor.text.indexOf("\n", cursor.position);
  const end = newline < 0 ? cursor.end : Math.min(newline, cursor.end);
  cursor.position = end;
}

const BARE = /[^\s;&|()<>'"\\$`]+/y;

/** The unquoted word that begins here, if it consists only of ordinary characters; a reserved word always does. */
export function bareWord(cursor: Cursor): string {
  const text = plainRun(cursor, BARE);
  const next = charAt(cursor, text.length);
  return next === "" || /[\s;&|()<>]/.test(next) ? text : "";
}

/** Consumes the reserved word, or refuses the text. */
export function expectWord(cursor: Cursor, word: string): void {
  skipBlanks(cursor);
  if (bareWord(cursor) !== word) throw new ShellDoubt(`"${word}" is missing`);
  cursor.position += word.length;
}

/** Consumes `operator` if it is next. */
export function takes(cursor: Cursor, operator: string): boolean {
  if (!cursor.text.startsWith(operator, cursor.position) || cursor.position + operator.length > cursor.end)
    return false;
  cursor.position += operator.length;
  return true;
}

const REDIRECT = /^(?:\d+(?=[<>]))?(&>>|&>|<<<|<<-|<<|<>|<&|>>|>\||>&|<(?!\()|>(?!\())/;

/** The redirection that begins here, if any. */
export function readRedirect(cursor: Cursor, readScript: ReadScript): Redirect | undefined {
  if (!/[\d&<>]/.test(charAt(cursor))) return undefined;
  const found = REDIRECT.exec(cursor.text.slice(cursor.position, cursor.end));
  if (!found) return undefined;
  const start = cursor.position;
  const operator = found[1] as string;
  cursor.position += found[0].length;
  if (/^(?:&>>?|<<<)$/.test(operator)) onlyInBash(cursor);
  skipBlanks(cursor);
  if (operator === "<<" || operator === "<<-") {
    const pending: Cursor["pending"][number] = { ...readDelimiter(cursor), stripsTabs: operator === "<<-" };
    cursor.pending.push(pending);
    // The body is parsed at the end of the line, after this redirection is created.
    return {
      operator,
      start,
      end: cursor.position,
      get body() {
        return pending.body;
      },
    };
  }
  const target = readWord(cursor, readScript);
  if (operator === ">&" && !/^[\d-]+$/.test(target.value)) onlyInBash(cursor);
  return { operator, start, end: cursor.position, target };
}

function readDelimiter(cursor: Cursor): { delimiter: string; isLiteral: boolean } {
  const found = /^(?:'([^'\n\\]+)'|"([^"\n\\$`]+)"|\\?([\w.!@%+:-]+))(?=[\s;&|()<>]|$)/.exec(
    cursor.text.slice(cursor.position, cursor.end),
  );
  if (!found) throw new ShellDoubt("the delimiter of a here-document is not understood");
  cursor.position += found[0].length;
  return { delimiter: (found[1] ?? found[2] ?? found[3]) as string, isLiteral: /^['"\\]/.test(found[0]) };
}

/** Skips the newline and the bodies of the here-documents that begin after it. */
export function endLine(cursor: Cursor, readScript: ReadScript): void {
  if (cursor.isAwaited) throw new ShellDoubt("a here-document around a substitution of several lines");
  cursor.position++;
  for (const pending of cursor.pending.splice(0)) {
    const start = cursor.position;
    const { length, next } = bodyOf(cursor, pending);
    const inside: Cursor = { ...cursor, end: start + length, pending: [], isAwaited: false };
    pending.body = readBody(inside, pending.isLiteral, readScript);
    cursor.position = next;
  }
}

function bodyOf(
  cursor: Cursor,
  { delimiter, stripsTabs, isLiteral }: Cursor["pending"][number],
): { length: number; next: number } {
  for (let at = cursor.position; at < cursor.end; ) {
    const newline = cursor.text.indexOf("\n", at);
    const end = newline < 0 || newline > cursor.end ? cursor.end : newline;
    const line = cursor.text.slice(at, end);
    if ((stripsTabs ? line.replace(/^\t+/, "") : line) === delimiter)
      return { length: at - cursor.position, next: Math.min(end + (end < cursor.end ? 1 : 0), cursor.end) };
    // Bash joins such a line with the next one before it looks for the end.
    if (!isLiteral && line.endsWith("\\")) throw new ShellDoubt("a joined line in a here-document");
    at = end + 1;
  }
  throw new ShellDoubt("a here-document is not closed");
}

function readBody(cursor: Cursor, isLiteral: boolean, readScript: ReadScript): Word {
  const start = cursor.position;
  const body = new WordBuilder();
  body.isQuoted = isLiteral;
  if (isLiteral) body.add(cursor.text.slice(start, cursor.end), "q");
  else while (cursor.position < cursor.end) readQuotedPiece(cursor, body, readScript, "$`\\");
  if (cursor.position > cursor.end) throw new ShellDoubt("an expansion goes on behind its here-document");
  return body.finish(start, cursor.end);
}
