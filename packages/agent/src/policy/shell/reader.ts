// Parses a bash script into statements. It refuses everything it does not know, so that the user is asked about the
// text.

import {
  type CompoundBody,
  readCase,
  readFor,
  readGroup,
  readIf,
  readSubshell,
  readTest,
  readWhile,
  type ScriptReaders,
} from "./compounds.ts";
import { readArithmetic } from "./expansions.ts";
import {
  type Command,
  type Cursor,
  type Dialect,
  onlyInBash,
  type Pipeline,
  type Redirect,
  type Script,
  ShellDoubt,
  type Statement,
  type Word,
} from "./syntax.ts";
import { bareWord, charAt, endLine, readRedirect, skipBlanks, skipLines, takes } from "./tokens.ts";
import { readWord } from "./words.ts";

export interface ReadText {
  readonly script: Script;
  /** Start offsets of comments. */
  readonly comments: readonly number[];
}

/** Throws a `ShellDoubt`. */
export function readShell(text: string, home: string | undefined, dialect: Dialect = "bash"): ReadText {
  const comments: number[] = [];
  const cursor: Cursor = {
    text,
    end: text.length,
    position: 0,
    pending: [],
    isAwaited: false,
    depth: 0,
    home,
    comments,
    dialect,
    level: 0,
  };
  return { script: readScript(cursor, "end"), comments };
}

/** A whole script, up to and including its closing parenthesis, or to the end of the cursor. */
function readScript(cursor: Cursor, end: "parenthesis" | "end"): Script {
  const script = readStatements(cursor, []);
  if (cursor.pending.length > 0) throw new ShellDoubt("a here-document is not closed");
  if (end === "parenthesis" ? !takes(cursor, ")") : cursor.position < cursor.end)
    throw new ShellDoubt("unexpected syntax");
  return script;
}

/**
 * Parses statements up to one of the reserved words, a closing parenthesis, `;;` or the end; consumes none of these.
 */
function readStatements(cursor: Cursor, ends: readonly string[]): Script {
  const statements: Statement[] = [];
  for (;;) {
    skipLines(cursor, readScript);
    if (charAt(cursor) === "" || charAt(cursor) === ")" || cursor.text.startsWith(";;", cursor.position)) break;
    if (cursor.text.startsWith(";&", cursor.position) || ends.includes(bareWord(cursor))) break;
    statements.push(readStatement(cursor));
  }
  return { statements };
}

function readStatement(cursor: Cursor): Statement {
  const pipelines = [readPipeline(cursor)];
  const operators: ("&&" | "||")[] = [];
  for (;;) {
    skipBlanks(cursor);
    const operator = takes(cursor, "&&") ? "&&" : takes(cursor, "||") ? "||" : undefined;
    if (!operator) break;
    skipLines(cursor, readScript);
    operators.push(operator);
    pipelines.push(readPipeline(cursor));
  }
  const isBackground = charAt(cursor) === "&";
  if (isBackground) cursor.position++;
  else if (charAt(cursor) === "\n") endLine(cursor, readScript);
  else if (charAt(cursor) === ";" && !/[;&]/.test(charAt(cursor, 1))) cursor.position++;
  else if (!/^[;)]?$/.test(charAt(cursor))) throw new ShellDoubt("unexpected syntax");
  return { pipelines, operators, isBackground };
}

function readPipeline(cursor: Cursor): Pipeline {
  let timedAt: number | undefined;
  for (;;) {
    skipBlanks(cursor);
    const word = bareWord(cursor);
    if (word === "!") cursor.position++;
    else if (
      word === "time" &&
      timedAt === undefined &&
      !/^time\s+-(?!p?\s)/.test(cursor.text.slice(cursor.position))
    ) {
      timedAt = cursor.position;
      cursor.position += word.length;
      skipBlanks(cursor);
      if (bareWord(cursor) === "-p") cursor.position += 2;
    } else break;
  }
  const commands = [readCommand(cursor)];
  for (skipBlanks(cursor); charAt(cursor) === "|" && charAt(cursor, 1) !== "|"; skipBlanks(cursor)) {
    if (takes(cursor, "|&")) onlyInBash(cursor);
    else cursor.position++;
    skipLines(cursor, readScript);
    commands.push(readCommand(cursor));
  }
  return { commands, timedAt };
}

const MISPLACED = new Set(["then", "do", "done", "fi", "else", "elif", "esac", "}", "]]", "coproc", "time", "!"]);

function readCommand(cursor: Cursor): Command {
  skipBlanks(cursor);
  const start = cursor.position;
  const word = bareWord(cursor);
  // Deeper parsing would exhaust the stack.
  if (++cursor.level > 40) throw new ShellDoubt("nested too deeply");
  const compound = readCompound(cursor, word);
  cursor.level--;
  if (compound) {
    const redirects = readRedirects(cursor);
    return { ...compound, redirects, start, end: cursor.position } as Command;
  }
  if (MISPLACED.has(word) && !(word === "time" && /^time\s+-/.test(cursor.text.slice(start))))
    throw new ShellDoubt(`"${word}" is not understood here`);
  return readSimple(cursor);
}

const READERS: ScriptReaders = { script: readScript, statements: readStatements };

function readCompound(cursor: Cursor, word: string): CompoundBody | undefined {
  if (cursor.text.startsWith("((", cursor.position) || /^(?:\[\[|function|select)$/.test(word)) onlyInBash(cursor);
  if (takes(cursor, "((")) return { kind: "arithmetic", inner: readArithmetic(cursor, readScript) };
  if (takes(cursor, "(")) return readSubshell(cursor, READERS);
  switch (word) {
    case "{":
      return readGroup(cursor, READERS);
    case "if":
      return readIf(cursor, READERS);
    case "while":
    case "until":
      return readWhile(cursor, READERS);
    case "for":
    case "select":
      return readFor(cursor, READERS);
    case "case":
      return readCase(cursor, READERS);
    case "[[":
      return readTest(cursor, readScript);
    case "function":
      cursor.position += word.length;
      skipBlanks(cursor);
      return readFunction(cursor, bareWord(cursor));
    default:
      return undefined;
  }
}

/** Starts at the name; the parentheses may be missing after `function`. */
function readFunction(cursor: Cursor, name: string): CompoundBody {
  if (charAt(cursor) === "") throw new ShellDoubt("the name of a function is missing");
  if (!/^[\w:.@%+-]+$/.test(name)) throw new ShellDoubt("the name of a function is not understood");
  cursor.position += name.length;
  skipBlanks(cursor);
  if (takes(cursor, "(")) {
    skipBlanks(cursor);
    if (!takes(cursor, ")")) throw new ShellDoubt("unexpected syntax");
  }
  skipLines(cursor, readScript);
  const body = readCommand(cursor);
  if (body.kind === "simple") throw new ShellDoubt("the body of a function is not understood");
  return { kind: "function", name, body };
}

function readRedirects(cursor: Cursor): Redirect[] {
  const redirects: Redirect[] = [];
  for (;;) {
    skipBlanks(cursor);
    const redirect = readRedirect(cursor, readScript);
    if (!redirect) return redirects;
    redirects.push(redirect);
  }
}

function readSimple(cursor: Cursor): Command {
  const start = cursor.position;
  const [assignments, words, redirects]: [Word[], Word[], Redirect[]] = [[], [], []];
  let end = start;
  for (;;) {
    skipBlanks(cursor);
    const redirect = readRedirect(cursor, readScript);
    if (redirect) {
      redirects.push(redirect);
      end = cursor.position;
      continue;
    }
    if (/^[\n;|)]?$/.test(charAt(cursor)) || charAt(cursor) === "&") break;
    if (charAt(cursor) === "(") {
      const [name] = words;
      if (words.length === 1 && assignments.length + redirects.length === 0 && name && !name.isQuoted) {
        cursor.position = start;
        const definition = readFunction(cursor, name.value);
        return { ...definition, redirects: readRedirects(cursor), start, end: cursor.position } as Command;
      }
      throw new ShellDoubt("unexpected syntax");
    }
    const word = readWord(cursor, readScript);
    // `{NAME}> file` assigns the descriptor's number to the variable.
    if (/^\{\w+(?:\[.*\])?\}$/s.test(word.value) && /[<>]/.test(charAt(cursor)))
      throw new ShellDoubt("a redirection assigns a variable");
    (words.length === 0 && word.assignment ? assignments : words).push(word);
    end = cursor.position;
  }
  if (end === start) throw new ShellDoubt("a command is missing");
  return { kind: "simple", start, end, assignments, words, redirects };
}
