// Parses the v4a patch language: Begin/End envelope, file operations, hunks. Text in, operations out, without access to
// files.

import { type Change, type Hunk, type PatchOperation, PatchSyntaxError } from "./types.ts";

export interface Patch {
  readonly operations: readonly PatchOperation[];
  /** Some context line looks like a marker with leading spaces; parsing with `padded` treats it as one. */
  readonly paddedMarkers: boolean;
}

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const header = /^\*\*\* (Add File|Delete File|Update File|Move to):\s*(.*)$/;
const marker = /^\*\*\* (?:End Patch|End of File|(?:Add|Delete|Update) File: .+|Move to: .+)$/;

export function parseV4a(input: string, options: { readonly padded?: boolean } = {}): Patch {
  const cursor = new Cursor(unwrap(input), options.padded === true);
  const operations: PatchOperation[] = [];
  for (;;) {
    cursor.skipEmpty();
    if (cursor.done) break;
    operations.push(operation(cursor));
  }
  if (operations.length === 0) throw new PatchSyntaxError(1, "the patch has no file operation between Begin and End.");
  return { operations, paddedMarkers: cursor.sawPadded };
}

interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** The lines between the envelope's markers; only a code fence or a heredoc is tolerated around it. */
function unwrap(input: string): NumberedLine[] {
  const all = input.split(/\r\n|\r|\n/).map((text, index) => ({ number: index + 1, text }));
  const begin = all.findIndex((line) => line.text.trim() === BEGIN);
  if (begin < 0) throw new PatchSyntaxError(1, `the first line must be "${BEGIN}".`);
  const end = all.findLastIndex((line) => line.text.trim() === END);
  if (end < begin) {
    throw new PatchSyntaxError(
      all.length,
      `"${END}" is missing; the patch may be incomplete. Send the whole patch again.`,
    );
  }
  const tag = heredocTag(all.slice(0, begin));
  for (const { number, text } of all.slice(0, begin)) {
    if (!isWrapper(text, tag)) throw new PatchSyntaxError(number, `unexpected text before "${BEGIN}": ${quote(text)}.`);
  }
  for (const { number, text } of all.slice(end + 1)) {
    if (!isWrapper(text, tag)) throw new PatchSyntaxError(number, `unexpected text after "${END}": ${quote(text)}.`);
  }
  return dedent(all.slice(begin + 1, end), /^\s*/.exec(all[begin]?.text ?? "")?.[0] ?? "");
}

function heredocTag(lines: readonly NumberedLine[]): string | undefined {
  for (const { text } of lines) {
    const tag = /<<-?\s*(['"]?)(\w+)\1/.exec(text)?.[2];
    if (tag) return tag;
  }
  return undefined;
}

function isWrapper(text: string, tag: string | undefined): boolean {
  const line = text.trim();
  if (line === "" || /^(?:```|~~~)\w*$/.test(line) || line === "EOF" || line === "PATCH") return true;
  if (tag === undefined) return line === "apply_patch";
  return line === tag || /<<-?\s*['"]?\w+/.test(line) || /^["')]+$/.test(line);
}

/** A patch that is indented as a whole, as inside a heredoc. */
function dedent(lines: readonly NumberedLine[], indent: string): NumberedLine[] {
  if (indent === "" || !lines.every(({ text }) => text.trim() === "" || text.startsWith(indent))) return [...lines];
  return lines.map(({ number, text }) => ({ number, text: text.slice(indent.length) }));
}

class Cursor {
  readonly #lines: readonly NumberedLine[];
  readonly #padded: boolean;
  #at = 0;
  sawPadded = false;

  constructor(lines: readonly NumberedLine[], padded: boolean) {
    this.#lines = lines;
    this.#padded = padded;
  }

  get done(): boolean {
    return this.#at >= this.#lines.length;
  }

  get line(): NumberedLine {
    return this.#lines[this.#at] ?? { number: (this.#lines.at(-1)?.number ?? 0) + 1, text: "" };
  }

  next(): NumberedLine {
    const { line } = this;
    this.#at++;
    return line;
  }

  skipEmpty(): void {
    while (!this.done && this.line.text.trim() === "") this.#at++;
  }

  /** Inside a hunk, a line that begins with a space is context, whatever follows, unless padded markers are enabled. */
  get atMarker(): boolean {
    const { text } = this.line;
    if (text.startsWith("*** ")) return true;
    if (!/^\s/.test(text) || !marker.test(text.trim())) return false;
    this.sawPadded = true;
    return this.#padded;
  }
}

function operation(cursor: Cursor): PatchOperation {
  const { number, text } = cursor.next();
  const [, verb, rest = ""] = header.exec(text.trim()) ?? [];
  const path = rest.trim();
  if (!verb || verb === "Move to") {
    throw new PatchSyntaxError(
      number,
      `expected "*** Add File:", "*** Update File:" or "*** Delete File:", got ${quote(text)}.`,
    );
  }
  if (path === "") throw new PatchSyntaxError(number, "the path is missing.");
  if (verb === "Delete File") return { kind: "delete", path };
  if (verb === "Add File") return { kind: "add", path, lines: addedLines(cursor) };
  const moveTo = destination(cursor);
  const hunks = updateHunks(cursor);
  if (hunks.length === 0 && moveTo === undefined)
    throw new PatchSyntaxError(number, `the update of ${path} has no hunk.`);
  return { kind: "update", path, hunks, ...(moveTo === undefined ? {} : { moveTo }) };
}

function destination(cursor: Cursor): string | undefined {
  const [, verb, rest = ""] = cursor.done ? [] : (header.exec(cursor.line.text.trim()) ?? []);
  if (verb !== "Move to") return undefined;
  const { number } = cursor.next();
  if (rest.trim() === "") throw new PatchSyntaxError(number, "the destination of the move is missing.");
  return rest.trim();
}

function addedLines(cursor: Cursor): string[] {
  const lines: string[] = [];
  while (!cursor.done && !/^\s*\*\*\* /.test(cursor.line.text)) {
    const { number, text } = cursor.next();
    if (text.startsWith("+")) {
      lines.push(text.slice(1));
      continue;
    }
    if (text.trim() !== "" || !onlyGapAhead(cursor)) {
      throw new PatchSyntaxError(number, `every line of a new file begins with "+", got ${quote(text)}.`);
    }
  }
  if (!cursor.done && cursor.line.text.trim() === END_OF_FILE) cursor.next();
  return lines;
}

function onlyGapAhead(cursor: Cursor): boolean {
  cursor.skipEmpty();
  return cursor.done || /^\s*\*\*\* /.test(cursor.line.text);
}

function updateHunks(cursor: Cursor): Hunk[] {
  const hunks: Hunk[] = [];
  while (!cursor.done && !cursor.atMarker) {
    const start = cursor.line.number;
    const hints: string[] = [];
    while (!cursor.done && cursor.line.text.startsWith("@@")) {
      const hint = hintOf(cursor.next().text);
      if (hint !== "") hints.push(hint);
    }
    const body = hunkBody(cursor);
    const atEnd = !cursor.done && cursor.atMarker && cursor.line.text.trim() === END_OF_FILE;
    if (atEnd) cursor.next();
    const looseTail = body.length - 1 - body.findLastIndex((change) => change !== emptyContext);
    // Only gap lines between a marker and what follows.
    if (body.length === looseTail && hints.length === 0) continue;
    if (!body.some((change) => change !== emptyContext)) {
      throw new PatchSyntaxError(start, 'the hunk is empty; write lines that begin with " ", "-" or "+".');
    }
    hunks.push({ hints, body, atEnd, looseTail });
  }
  return hunks;
}

/** A completely empty line counts as an empty context line. A single object distinguishes it from a written " ". */
const emptyContext: Change = { kind: " ", text: "" };

function hunkBody(cursor: Cursor): Change[] {
  const body: Change[] = [];
  while (!cursor.done && !cursor.line.text.startsWith("@@") && !cursor.atMarker) {
    const { number, text } = cursor.next();
    const kind = text[0];
    if (kind === undefined) body.push(emptyContext);
    else if (kind === " " || kind === "-" || kind === "+") body.push({ kind, text: text.slice(1) });
    else throw new PatchSyntaxError(number, `a hunk line begins with " ", "-" or "+", got ${quote(text)}.`);
  }
  return body;
}

/** Also removes the line numbers that unified diffs put between two `@@`. */
function hintOf(text: string): string {
  const hint = text
    .slice(2)
    .replace(/^ /, "")
    .replace(/^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?/, "");
  return hint.trim() === "" ? "" : hint;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
