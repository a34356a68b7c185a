// Parses the bodies of compound commands: groups, if, while, for, case and `[[`.

import { readArithmetic } from "./expansions.ts";
import {
  type Command,
  type Cursor,
  type Inner,
  onlyInBash,
  type Script,
  ShellDoubt,
  type SimpleCommand,
  type Word,
} from "./syntax.ts";
import { bareWord, charAt, expectWord, skipBlanks, skipLines, takes } from "./tokens.ts";
import type { ReadScript } from "./word-builder.ts";
import { readWord } from "./words.ts";

/** Parsers for the contents of a compound; passed in because commands contain compounds and vice versa. */
export interface ScriptReaders {
  readonly script: ReadScript;
  /**
   * Parses statements up to one of the reserved words, a closing parenthesis, `;;` or the end; consumes none of these.
   */
  readonly statements: (cursor: Cursor, ends: readonly string[]) => Script;
}

type Unplaced<T> = T extends unknown ? Omit<T, "redirects" | "start" | "end"> : never;
/** A compound command without its redirections. */
export type CompoundBody = Unplaced<Exclude<Command, SimpleCommand>>;

/** At least one statement, because bash requires a command here. */
function readBody(cursor: Cursor, ends: readonly string[], read: ScriptReaders): Script {
  const script = read.statements(cursor, ends);
  if (script.statements.length === 0) throw new ShellDoubt("a command is missing");
  return script;
}

export function readSubshell(cursor: Cursor, read: ScriptReaders): CompoundBody {
  const body = readBody(cursor, [], read);
  if (!takes(cursor, ")")) throw new ShellDoubt("a parenthesis is not closed");
  return { kind: "subshell", body };
}

export function readGroup(cursor: Cursor, read: ScriptReaders): CompoundBody {
  cursor.position++;
  const body = readBody(cursor, ["}"], read);
  expectWord(cursor, "}");
  return { kind: "group", body };
}

export function readIf(cursor: Cursor, read: ScriptReaders): CompoundBody {
  const bodies: Script[] = [];
  expectWord(cursor, "if");
  for (;;) {
    bodies.push(readBody(cursor, ["then"], read));
    expectWord(cursor, "then");
    bodies.push(readBody(cursor, ["elif", "else", "fi"], read));
    if (bareWord(cursor) !== "elif") break;
    expectWord(cursor, "elif");
  }
  if (bareWord(cursor) === "else") {
    expectWord(cursor, "else");
    bodies.push(readBody(cursor, ["fi"], read));
  }
  expectWord(cursor, "fi");
  return { kind: "if", bodies };
}

export function readWhile(cursor: Cursor, read: ScriptReaders): CompoundBody {
  cursor.position += "while".length;
  const condition = readBody(cursor, ["do"], read);
  return { kind: "while", condition, body: readLoopBody(cursor, read) };
}

function readLoopBody(cursor: Cursor, read: ScriptReaders): Script {
  skipBlanks(cursor);
  // Bash accepts braces in place of `do` and `done` after some loops.
  if (charAt(cursor) === "{") throw new ShellDoubt("the braces of a loop are not understood");
  expectWord(cursor, "do");
  const body = readBody(cursor, ["done"], read);
  expectWord(cursor, "done");
  return body;
}

/** Parses `for` and `select`, which differ only in who makes the choice. */
export function readFor(cursor: Cursor, read: ScriptReaders): CompoundBody {
  cursor.position += bareWord(cursor).length;
  skipBlanks(cursor);
  if (takes(cursor, "((")) {
    onlyInBash(cursor);
    return readCountingLoop(cursor, read);
  }
  if (/^[\n;]?$/.test(charAt(cursor))) throw new ShellDoubt("the variable of a loop is missing");
  const name = bareWord(cursor);
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new ShellDoubt("the variable of a loop is not understood");
  cursor.position += name.length;
  skipLines(cursor, read.script);
  const words: Word[] = [];
  if (bareWord(cursor) === "in") {
    cursor.position += 2;
    for (skipBlanks(cursor); !/^[\n;]?$/.test(charAt(cursor)); skipBlanks(cursor))
      words.push(readWord(cursor, read.script));
  }
  takes(cursor, ";");
  skipLines(cursor, read.script);
  return { kind: "for", name, words, body: readLoopBody(cursor, read) };
}

function readCountingLoop(cursor: Cursor, read: ScriptReaders): CompoundBody {
  const inner = readArithmetic(cursor, read.script, "header");
  skipBlanks(cursor);
  takes(cursor, ";");
  skipLines(cursor, read.script);
  return { kind: "count", inner, body: readLoopBody(cursor, read) };
}

export function readCase(cursor: Cursor, read: ScriptReaders): CompoundBody {
  expectWord(cursor, "case");
  skipBlanks(cursor);
  const [words, bodies]: [Word[], Script[]] = [[readWord(cursor, read.script)], []];
  skipLines(cursor, read.script);
  expectWord(cursor, "in");
  for (;;) {
    skipLines(cursor, read.script);
    if (bareWord(cursor) === "esac") break;
    takes(cursor, "(");
    do {
      skipBlanks(cursor);
      words.push(readWord(cursor, read.script));
      skipBlanks(cursor);
    } while (takes(cursor, "|"));
    if (charAt(cursor) === "") throw new ShellDoubt('")" is missing');
    if (!takes(cursor, ")")) throw new ShellDoubt("a pattern is not understood");
    bodies.push(read.statements(cursor, ["esac"]));
    if (takes(cursor, ";;&") || takes(cursor, ";&")) onlyInBash(cursor);
    else if (!takes(cursor, ";;")) break;
  }
  skipLines(cursor, read.script);
  expectWord(cursor, "esac");
  return { kind: "case", words, bodies };
}

const COMPARES_NUMBERS = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** `[[ … ]]`: substitutions run inside it, and number comparisons evaluate arithmetic. */
export function readTest(cursor: Cursor, readScript: ReadScript): CompoundBody {
  expectWord(cursor, "[[");
  const words: Word[] = [];
  for (;;) {
    skipBlanks(cursor);
    const char = charAt(cursor);
    if (char === "" || char === "\n" || char === ";") throw new ShellDoubt("a test is not closed");
    if (bareWord(cursor) === "]]") break;
    if (takes(cursor, "&&") || takes(cursor, "||") || takes(cursor, "(") || takes(cursor, ")")) continue;
    if (/[<>]/.test(char) && charAt(cursor, 1) !== "(") {
      cursor.position++;
      continue;
    }
    const isRegex = words.at(-1)?.value === "=~";
    words.push(readWord(cursor, readScript, { isRegex }));
  }
  expectWord(cursor, "]]");
  return { kind: "test", words: words.map((word, index) => checkOperand(word, words, index)) };
}

function checkOperand(word: Word, words: readonly Word[], index: number): Word {
  const [before, after] = [words[index - 1]?.value ?? "", words[index + 1]?.value ?? ""];
  // These look up a name and evaluate its subscript.
  if (/^-[vR]$/.test(before) && !(word.isKnown && /^\w+$/.test(word.value)))
    throw new ShellDoubt("a test of a variable that is not understood");
  if (!COMPARES_NUMBERS.test(before) && !COMPARES_NUMBERS.test(after)) return word;
  if (word.isKnown && /^-?\d+$/.test(word.value)) return word;
  if (word.isKnown && !/^[A-Za-z_]\w*$/.test(word.value)) throw new ShellDoubt("a comparison that is not understood");
  if (word.inner.some((one) => one.kind === "script")) throw new ShellDoubt("arithmetic over the output of a command");
  const names = word.isKnown ? [word.value] : word.inner.flatMap((one) => (one.kind === "variable" ? [one.name] : []));
  const numbers: Inner = { kind: "arithmetic", names: names.filter((name) => !/^[#?$!]$/.test(name)), assigned: [] };
  return { ...word, inner: [...word.inner, numbers] };
}
