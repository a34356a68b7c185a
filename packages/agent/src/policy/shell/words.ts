// Reads one word as bash does: quotes, expansions, globs and braces, and what runs while it is expanded.

import { readArithmetic } from "./arithmetic.ts";
import { hasHereDocument, isLoneCommand } from "./children.ts";
import { readBraced } from "./parameters.ts";
import { type Cursor, type Inner, onlyInBash, type Script, ShellDoubt, type Word } from "./syntax.ts";

/** Reads a script up to `)` or the end of the cursor; passed in because scripts are made of words. */
export type ReadScript = (cursor: Cursor, isEnd: "parenthesis" | "end") => Script;

export interface WordMode {
  /** The right side of `=~`: parentheses and bars belong to the word. */
  readonly isRegex?: boolean;
}

/** Where bash puts what a process substitution prints. */
const STREAM = "/dev/fd/";

const ENDS = new Set([" ", "\t", "\n", ";", "&", "|", "(", ")", "<", ">"]);

/** Collects the value of a word while it is read. */
export class WordBuilder {
  value = "";
  /** One character per character of `value`: q quoted, p plain, x not known before it runs. */
  marks = "";
  isSplit = false;
  isQuoted = false;
  isArray = false;
  /** It is the path of a pipe. */
  isStream = false;
  readonly inner: Inner[] = [];

  add(text: string, mark: "q" | "p" | "x"): void {
    this.value += text;
    this.marks += mark.repeat(text.length);
  }

  /** Something that is not known before it runs. */
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

  /** Where the first glob or brace expansion begins; the length of the word when there is none. */
  #firstPattern(): number {
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

/** One character, quoted string or expansion outside of double quotes. */
function readPiece(cursor: Cursor, word: WordBuilder, readScript: ReadScript): void {
  const char = cursor.text[cursor.position] as string;
  switch (char) {
    case "'":
      word.isQuoted = true;
      word.add(upTo(cursor, "'"), "q");
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
    default:
      word.add(char, "p");
      cursor.position++;
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

/** What double quotes and here-documents have in common; `escapable`: characters that a backslash takes the meaning of. */
export function readQuotedPiece(cursor: Cursor, word: WordBuilder, readScript: ReadScript, escapable: string): void {
  const char = cursor.text[cursor.position] as string;
  if (char === "$") {
    readDollar(cursor, word, readScript, true);
    return;
  }
  if (char === "`") {
    readBackticks(cursor, word, readScript, true);
    return;
  }
  if (char !== "\\") {
    word.add(char, "q");
    cursor.position++;
    return;
  }
  const escaped = cursor.text[cursor.position + 1] ?? "";
  if (escaped === "\n" && !/\s/.test(cursor.text[cursor.position - 1] as string))
    throw new ShellDoubt("a word goes on in the next line");
  cursor.position += 2;
  if (escaped !== "\n") word.add(escapable.includes(escaped) ? escaped : `\\${escaped}`, "q");
}

/** An expansion that begins with `$`. */
export function readDollar(cursor: Cursor, word: WordBuilder, readScript: ReadScript, isQuoted: boolean): void {
  const { text, position: start } = cursor;
  const rest = text.slice(start + 1, Math.min(start + 3, cursor.end));
  const raw = () => text.slice(start, cursor.position);
  if (rest.startsWith("((")) {
    cursor.position = start + 3;
    word.inner.push(...readArithmetic(cursor, readScript));
    word.unknown(raw(), false);
    return;
  }
  if (rest.startsWith("(")) {
    cursor.position = start + 2;
    word.inner.push({ kind: "script", script: readNested(cursor, readScript, "parenthesis"), start });
    word.unknown(raw(), !isQuoted);
    return;
  }
  if (rest.startsWith("{")) {
    cursor.position = start + 2;
    word.inner.push(...readBraced(cursor, readScript));
    word.unknown(raw(), !isQuoted || raw().includes("@"));
    return;
  }
  if (rest.startsWith("[")) throw new ShellDoubt("old arithmetic is not understood");
  if (rest.startsWith("'") && !isQuoted) {
    onlyInBash(cursor);
    word.isQuoted = true;
    word.add(readAnsiString(cursor), "q");
    return;
  }
  if (rest.startsWith('"') && !isQuoted) throw new ShellDoubt("translated strings are not understood");
  const name = /^(?:[A-Za-z_]\w*|[0-9@*#?$!-])/.exec(text.slice(start + 1, cursor.end))?.[0];
  if (name === undefined) {
    word.add("$", isQuoted ? "q" : "p");
    cursor.position++;
    return;
  }
  cursor.position = start + 1 + name.length;
  word.inner.push({ kind: "variable", name, assigns: false });
  if (name === "HOME" && cursor.home !== undefined) {
    word.add(cursor.home, "q");
    return;
  }
  word.unknown(raw(), !isQuoted || name === "@");
}

function readNested(cursor: Cursor, readScript: ReadScript, end: "parenthesis" | "end"): Script {
  if (cursor.depth > 20) throw new ShellDoubt("nested too deeply");
  const nested: Cursor = {
    ...cursor,
    pending: [],
    isAwaited: cursor.isAwaited || cursor.pending.length > 0,
    depth: cursor.depth + 1,
  };
  const script = readScript(nested, end);
  // Bash 5.2 prints such a script and reads it again, and loses separators behind the here-document.
  if (hasHereDocument(script) && !isLoneCommand(script))
    throw new ShellDoubt("a here-document among commands that are substituted");
  cursor.position = nested.position;
  return script;
}

function readBackticks(cursor: Cursor, word: WordBuilder, readScript: ReadScript, isQuoted: boolean): void {
  const start = cursor.position;
  const close = cursor.text.indexOf("`", start + 1);
  if (close < 0 || close >= cursor.end) throw new ShellDoubt("a backtick is not closed");
  // A backslash inside changes where it ends and what it says.
  if (cursor.text.slice(start, close).includes("\\")) throw new ShellDoubt("a backslash inside backticks");
  const inside: Cursor = { ...cursor, end: close, position: start + 1 };
  word.inner.push({ kind: "script", script: readNested(inside, readScript, "end"), start });
  cursor.position = close + 1;
  word.unknown(cursor.text.slice(start, close + 1), !isQuoted);
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

/** The text up to `quote`, which is passed over. */
function upTo(cursor: Cursor, quote: string): string {
  const start = cursor.position + 1;
  const close = cursor.text.indexOf(quote, start);
  if (close < 0 || close >= cursor.end) throw new ShellDoubt("a quote is not closed");
  const text = cursor.text.slice(start, close);
  if (text.includes("\n") && cursor.pending.length > 0) throw new ShellDoubt("a here-document inside a quoted text");
  cursor.position = close + 1;
  return text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

/** `$'…'`, from its dollar on. */
function readAnsiString(cursor: Cursor): string {
  let value = "";
  cursor.position += 2;
  while (cursor.position < cursor.end) {
    const char = cursor.text[cursor.position] as string;
    cursor.position++;
    if (char === "'") return value;
    if (char !== "\\") {
      value += char;
      continue;
    }
    const letter = cursor.text[cursor.position] ?? "";
    const number = /^(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3}))/.exec(
      cursor.text.slice(cursor.position, cursor.end),
    );
    if (number) {
      const code = Number.parseInt(number[1] ?? number[2] ?? number[3] ?? (number[4] as string), number[4] ? 8 : 16);
      // Beyond ASCII the bytes depend on the locale; a NUL ends the string.
      if (code === 0 || code > 127) throw new ShellDoubt("an escape that is not understood");
      value += String.fromCharCode(code);
      cursor.position += number[0].length;
    } else if (Object.hasOwn(ESCAPES, letter)) {
      value += ESCAPES[letter];
      cursor.position++;
    } else {
      throw new ShellDoubt("an escape that is not understood");
    }
  }
  throw new ShellDoubt("a quote is not closed");
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
