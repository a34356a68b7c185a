// Parses what begins with `$` or a backtick inside a word, quoted or not: substitutions, variables, `${…}`, arithmetic
// and `$'…'`. They share a file because each may contain any other. Forms that run code (`${x@P}`, `${!x}`, computed
// subscripts) are in doubt. In arithmetic, bash evaluates the values of variables as expressions, and a subscript in
// one may run a command; so the names used there are reported, and they must hold only numbers.

import { hasHereDocument, isLoneCommand } from "./children.ts";
import { type Cursor, type Inner, onlyInBash, type Script, ShellDoubt } from "./syntax.ts";
import { plainRun, type ReadScript, WordBuilder } from "./word-builder.ts";

/** Characters without special meaning in quotes, here-documents and `${…}`. */
const ORDINARY = /[^$`"'\\\n{}<>]+/y;

/** What double quotes and here-documents have in common; `escapable`: characters that a backslash escapes. */
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
    const run = plainRun(cursor, ORDINARY) || char;
    word.add(run, "q");
    cursor.position += run.length;
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

export function readNested(cursor: Cursor, readScript: ReadScript, end: "parenthesis" | "end"): Script {
  if (cursor.depth > 20) throw new ShellDoubt("nested too deeply");
  const nested: Cursor = {
    ...cursor,
    pending: [],
    isAwaited: cursor.isAwaited || cursor.pending.length > 0,
    depth: cursor.depth + 1,
  };
  const script = readScript(nested, end);
  // Bash 5.2 prints such a script and parses it again, and loses separators after the here-document.
  if (hasHereDocument(script) && !isLoneCommand(script))
    throw new ShellDoubt("a here-document among commands that are substituted");
  cursor.position = nested.position;
  return script;
}

export function readBackticks(cursor: Cursor, word: WordBuilder, readScript: ReadScript, isQuoted: boolean): void {
  const start = cursor.position;
  const close = cursor.text.indexOf("`", start + 1);
  if (close < 0 || close >= cursor.end) throw new ShellDoubt("a backtick is not closed");
  // A backslash inside changes where the backticks end and what they contain.
  if (cursor.text.slice(start, close).includes("\\")) throw new ShellDoubt("a backslash inside backticks");
  const inside: Cursor = { ...cursor, end: close, position: start + 1 };
  word.inner.push({ kind: "script", script: readNested(inside, readScript, "end"), start });
  cursor.position = close + 1;
  word.unknown(cursor.text.slice(start, close + 1), !isQuoted);
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

/** `$'…'`, starting at the dollar sign. */
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
      // The bytes of non-ASCII characters depend on the locale; a NUL ends the string.
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

// ---- `${…}` ----

/** Parses from after `${` to after `}`. */
function readBraced(cursor: Cursor, readScript: ReadScript): Inner[] {
  const rest = cursor.text.slice(cursor.position, cursor.end);
  const length = /^#(?:[A-Za-z_]\w*(?:\[[@*]\])?|[0-9@*]?)\}/.exec(rest)?.[0];
  if (length !== undefined) {
    cursor.position += length.length;
    return [];
  }
  const head = /^([A-Za-z_]\w*|[0-9]+|[@*#?$!-])(\[(?:[@*]|\d+|-1)\])?/.exec(rest);
  if (rest === "") throw new ShellDoubt("an expansion is not closed");
  if (!head) throw new ShellDoubt("an expansion that is not understood");
  cursor.position += head[0].length;
  const operator = /^(?:\}|:?[-=+?]|##?|%%?|\/[/#%]?|\^\^?|,,?|@[QULu](?=\})|: ?-?\d+(?::-?\d+)?(?=\}))/.exec(
    cursor.text.slice(cursor.position, cursor.end),
  )?.[0];
  if (cursor.position === cursor.end) throw new ShellDoubt("an expansion is not closed");
  if (operator === undefined) throw new ShellDoubt("an expansion that is not understood");
  if (head[2] !== undefined || !/^(?:\}|:?[-=+?]|##?|%%?)$/.test(operator)) onlyInBash(cursor);
  cursor.position += operator.length;
  const variable: Inner = { kind: "variable", name: head[1] as string, assigns: /^:?=$/.test(operator) };
  return operator === "}" ? [variable] : [variable, ...readOperand(cursor, readScript)];
}

/** The word or pattern of an expansion, including the closing brace. */
function readOperand(cursor: Cursor, readScript: ReadScript): Inner[] {
  const operand = new WordBuilder();
  while (cursor.position < cursor.end) {
    const char = cursor.text[cursor.position] as string;
    if (char === "}") {
      cursor.position++;
      return operand.inner;
    }
    // Quotes have different meanings here inside and outside double quotes.
    if (/['"{\n<>]/.test(char)) throw new ShellDoubt("an expansion that is not understood");
    if (char === "$") readDollar(cursor, operand, readScript, true);
    else readQuotedPiece(cursor, operand, readScript, "\\");
  }
  throw new ShellDoubt("an expansion is not closed");
}

// ---- `$((…))` and `((…))` ----

/** Parses from after `((` to after `))`; the header of a loop has three expressions. */
export function readArithmetic(cursor: Cursor, readScript: ReadScript, place?: "header"): Inner[] {
  const allowed = place === "header" ? /[\w \t+\-*/%<>=!&|^~?:,();]/ : /[\w \t+\-*/%<>=!&|^~?:,()]/;
  const inner: Inner[] = [];
  let [depth, plain] = [0, ""];
  while (cursor.position < cursor.end) {
    const char = cursor.text[cursor.position] as string;
    if (char === ")" && depth === 0) {
      // `$((a); b)` is a subshell in a substitution, not arithmetic.
      if (cursor.text[cursor.position + 1] !== ")" || cursor.position + 1 >= cursor.end) break;
      cursor.position += 2;
      return [...inner, namesIn(plain)];
    }
    if (char === "$") {
      const nested = new WordBuilder();
      readDollar(cursor, nested, readScript, true);
      inner.push(...numbersOnly(nested.inner));
      plain += " 0 ";
      continue;
    }
    if (!allowed.test(char)) break;
    depth += char === "(" ? 1 : char === ")" ? -1 : 0;
    plain += char;
    cursor.position++;
  }
  if (cursor.position >= cursor.end) throw new ShellDoubt("a parenthesis is not closed");
  throw new ShellDoubt("arithmetic that is not understood");
}

/** Positional and special parameters that are always numbers. */
const NUMBERS = new Set(["#", "?", "$", "!"]);

function numbersOnly(inner: readonly Inner[]): Inner[] {
  return inner.map((one) => {
    if (one.kind === "script") throw new ShellDoubt("arithmetic over the output of a command");
    if (one.kind !== "variable") return one;
    return { kind: "arithmetic", names: NUMBERS.has(one.name) ? [] : [one.name], assigned: [] };
  });
}

function namesIn(text: string): Inner {
  const names = text.match(/[A-Za-z_]\w*/g) ?? [];
  const assigned = [
    ...text.matchAll(/([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)/g),
  ];
  return { kind: "arithmetic", names, assigned: assigned.map((found) => found[1] ?? (found[2] as string)) };
}
