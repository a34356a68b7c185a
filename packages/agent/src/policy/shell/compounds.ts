// Reads the bodies of compound commands: if, while, for, case and `[[`.

import { readArithmetic } from "./arithmetic.ts";
import { type CompoundBody, readBody, readScript, readStatements } from "./reader.ts";
import { type Cursor, type Inner, onlyInBash, type Script, ShellDoubt, type Word } from "./syntax.ts";
import { bareWord, charAt, expectWord, skipBlanks, skipLines, takes } from "./tokens.ts";
import { readWord } from "./words.ts";

export function readIf(cursor: Cursor): CompoundBody {
  const bodies: Script[] = [];
  expectWord(cursor, "if");
  for (;;) {
    bodies.push(readBody(cursor, ["then"]));
    expectWord(cursor, "then");
    bodies.push(readBody(cursor, ["elif", "else", "fi"]));
    if (bareWord(cursor) !== "elif") break;
    expectWord(cursor, "elif");
  }
  if (bareWord(cursor) === "else") {
    expectWord(cursor, "else");
    bodies.push(readBody(cursor, ["fi"]));
  }
  expectWord(cursor, "fi");
  return { kind: "if", bodies };
}

export function readWhile(cursor: Cursor): CompoundBody {
  cursor.position += "while".length;
  const condition = readBody(cursor, ["do"]);
  return { kind: "while", condition, body: readLoopBody(cursor) };
}

function readLoopBody(cursor: Cursor): Script {
  expectWord(cursor, "do");
  const body = readBody(cursor, ["done"]);
  expectWord(cursor, "done");
  return body;
}

/** Also `select`, which differs only in who chooses. */
export function readFor(cursor: Cursor): CompoundBody {
  cursor.position += bareWord(cursor).length;
  skipBlanks(cursor);
  if (takes(cursor, "((")) {
    onlyInBash(cursor);
    return readCountingLoop(cursor);
  }
  const name = bareWord(cursor);
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new ShellDoubt("the variable of a loop is not understood");
  cursor.position += name.length;
  skipLines(cursor, readScript);
  const words: Word[] = [];
  if (bareWord(cursor) === "in") {
    cursor.position += 2;
    for (skipBlanks(cursor); !/^[\n;]?$/.test(charAt(cursor)); skipBlanks(cursor))
      words.push(readWord(cursor, readScript));
  }
  takes(cursor, ";");
  skipLines(cursor, readScript);
  return { kind: "for", name, words, body: readLoopBody(cursor) };
}

function readCountingLoop(cursor: Cursor): CompoundBody {
  const inner = readArithmetic(cursor, readScript, "header");
  skipBlanks(cursor);
  takes(cursor, ";");
  skipLines(cursor, readScript);
  return { kind: "count", inner, body: readLoopBody(cursor) };
}

export function readCase(cursor: Cursor): CompoundBody {
  expectWord(cursor, "case");
  skipBlanks(cursor);
  const [words, bodies]: [Word[], Script[]] = [[readWord(cursor, readScript)], []];
  skipLines(cursor, readScript);
  expectWord(cursor, "in");
  for (;;) {
    skipLines(cursor, readScript);
    if (bareWord(cursor) === "esac") break;
    takes(cursor, "(");
    do {
      skipBlanks(cursor);
      words.push(readWord(cursor, readScript));
      skipBlanks(cursor);
    } while (takes(cursor, "|"));
    if (!takes(cursor, ")")) throw new ShellDoubt("a pattern is not understood");
    bodies.push(readStatements(cursor, ["esac"]));
    if (takes(cursor, ";;&") || takes(cursor, ";&")) onlyInBash(cursor);
    else if (!takes(cursor, ";;")) break;
  }
  skipLines(cursor, readScript);
  expectWord(cursor, "esac");
  return { kind: "case", words, bodies };
}

const COMPARES_NUMBERS = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** `[[ … ]]`: what runs inside are substitutions, and numbers are compared as arithmetic. */
export function readTest(cursor: Cursor): CompoundBody {
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
  // These look a name up, and its subscript is evaluated.
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
