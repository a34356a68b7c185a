// Patterns use ripgrep's syntax. For the in-process engine we translate them to JavaScript: Unicode classes, named
// groups, POSIX classes and escapes differ, and a leading (?i) becomes a flag.

import { EnvError } from "../types.ts";

const WORD = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]";

const ESCAPES: Readonly<Record<string, string>> = {
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  w: WORD,
  W: `[^${WORD.slice(1)}`,
  s: "\\p{White_Space}",
  S: "\\P{White_Space}",
  b: `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`,
  B: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
  "<": `(?<!${WORD})(?=${WORD})`,
  ">": `(?<=${WORD})(?!${WORD})`,
  A: "^",
  z: "$",
  a: "\\x07",
  f: "\\f",
  n: "\\n",
  t: "\\t",
  r: "\\r",
  v: "\\v",
};

const POSIX: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7F",
  blank: "\\t ",
  cntrl: "\\x00-\\x1F\\x7F",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

/** How to interpret a pattern. */
export interface PatternOptions {
  readonly caseInsensitive?: boolean | undefined;
  readonly multiline?: boolean | undefined;
}

/** Without `multiline`, the expression is for single lines; with it, for whole texts, to be applied with `matchAll`. */
export function compilePattern(
  pattern: string,
  { caseInsensitive = false, multiline = false }: PatternOptions,
): RegExp {
  if (!multiline) rejectLineBreaks(pattern);
  const leading = /^\(\?([imsux]+)\)/.exec(pattern);
  const inline = leading?.[1] ?? "";
  if (inline.includes("x")) throw badRegex(pattern, "the x flag needs ripgrep");
  const body = leading === null ? pattern : pattern.slice(leading[0].length);
  const flags = ["v", caseInsensitive || inline.includes("i") ? "i" : "", inline.includes("s") ? "s" : ""];
  if (multiline) flags.push("g", "m");
  try {
    return new RegExp(translate(multiline ? acrossLineEnds(body) : body), flags.join(""));
  } catch (error) {
    throw badRegex(pattern, (error as Error).message.replace(/^Invalid regular expression: /, ""));
  }
}

/** Lines are searched one by one, so a line break could never match. */
export function rejectLineBreaks(pattern: string): void {
  if (hasLineBreak(pattern)) {
    throw badRegex(pattern, "a line break cannot match, lines are searched one by one");
  }
}

/** Whether a pattern contains a line break. */
export function hasLineBreak(pattern: string): boolean {
  return /\n|(?<!\\)(?:\\\\)*\\n/.test(pattern);
}

/** Makes line breaks in a pattern also match CRLF. */
export function acrossLineEnds(pattern: string): string {
  let out = "";
  let isInClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const token = pattern[i] === "\\" ? pattern.slice(i, i + 2) : pattern[i]!;
    if (token === "[") isInClass = true;
    else if (token === "]") isInClass = false;
    out += !isInClass && (token === "\n" || token === "\\n") ? "(?:\\r?\\n)" : token;
    i += token.length - 1;
  }
  return out;
}

export function badRegex(pattern: string, fault: string): EnvError {
  const message = `Bad regular expression "${pattern}": ${fault}. Escape literal characters such as ( [ { . with a backslash.`;
  return new EnvError("bad_pattern", message);
}

function translate(pattern: string): string {
  let out = "";
  let i = 0;
  while (i < pattern.length) {
    const char = pattern[i]!;
    if (char === "\\") {
      const [text, next] = escapeAt(pattern, i);
      out += text;
      i = next;
    } else if (char === "[") {
      const [text, next] = characterClass(pattern, i);
      out += text;
      i = next;
    } else if (pattern.startsWith("(?P<", i)) {
      out += "(?<";
      i += 4;
    } else if (/^\(\?[a-z-]+[:)]/.test(pattern.slice(i, i + 10))) {
      throw new Error("flags inside the pattern need ripgrep; put (?i) at the start");
    } else if (char === "{") {
      const repetition = /^\{(?:\d+(?:,\d*)?|,\d+)\}/.exec(pattern.slice(i))?.[0];
      out += repetition?.replace("{,", "{0,") ?? "\\{";
      i += repetition?.length ?? 1;
    } else {
      out += char === "}" || char === "]" ? `\\${char}` : char;
      i++;
    }
  }
  return out;
}

/** Translates the escape at `i`; returns it and the position after it. */
function escapeAt(pattern: string, i: number): [string, number] {
  const char = pattern[i + 1];
  if (char === undefined) throw new Error("it ends with a backslash");
  const known = ESCAPES[char];
  if (known !== undefined) return [known, i + 2];
  const rest = pattern.slice(i);
  const property = /^\\([pP])(?:(\w)|\{(\^?)([^}]+)\})/.exec(rest);
  if (property !== null) {
    const negated = (property[1] === "P") !== (property[3] === "^");
    return [unicodeProperty(property[2] ?? property[4]!, negated), i + property[0].length];
  }
  const code =
    /^\\(?:x\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(rest);
  if (code !== null) return [`\\u{${(code[1] ?? code[2] ?? code[3] ?? code[4] ?? code[5])!}}`, i + code[0].length];
  if (/[1-9]/.test(char)) return [`\\${char}`, i + 2];
  const named = /^\\k<\w+>/.exec(rest);
  if (named !== null) return [named[0], i + named[0].length];
  if (/[A-Za-z0]/.test(char)) throw new Error(`unknown escape \\${char}`);
  return [literal(char), i + 2];
}

function unicodeProperty(name: string, negated: boolean): string {
  const letter = negated ? "P" : "p";
  for (const candidate of [name, `Script=${name}`]) {
    const source = `\\${letter}{${candidate}}`;
    try {
      new RegExp(source, "v");
      return source;
    } catch {
      // Not a property of that kind; try the next spelling.
    }
  }
  throw new Error(`unknown Unicode property ${name}`);
}

function characterClass(pattern: string, start: number): [string, number] {
  const negation = pattern[start + 1] === "^" ? "^" : "";
  let i = start + 1 + negation.length;
  let out = "";
  // `[a-z&&[^b]]`: JavaScript requires each side of a set operation to be a class.
  let left = "";
  let first = true;
  while (i < pattern.length) {
    const char = pattern[i]!;
    if (char === "]" && !first) return [left === "" ? `[${negation}${out}]` : `[${negation}${left}[${out}]]`, i + 1];
    first = false;
    const posix = /^\[:(\^?)(\w+):\]/.exec(pattern.slice(i));
    if (posix !== null) {
      const set = Object.hasOwn(POSIX, posix[2]!) ? POSIX[posix[2]!] : undefined;
      if (set === undefined) throw new Error(`unknown class [:${posix[2]}:]`);
      out += `[${posix[1]}${set}]`;
      i += posix[0].length;
    } else if (char === "[") {
      const [text, next] = characterClass(pattern, i);
      out += text;
      i = next;
    } else if (char === "\\") {
      const [text, next] = escapeAt(pattern, i);
      out += pattern[i + 1] === "b" ? "\\x08" : text;
      i = next;
    } else if (pattern.startsWith("&&", i) || pattern.startsWith("--", i)) {
      left = `${left === "" ? `[${out}]` : `[${left}[${out}]]`}${pattern.slice(i, i + 2)}`;
      out = "";
      i += 2;
    } else {
      const isRange = char === "-" && pattern[i + 1] !== "]" && out !== "";
      out += isRange ? "-" : literal(char);
      i++;
    }
  }
  throw new Error("unclosed [");
}

function literal(char: string): string {
  return /[\^$\\.*+?()[\]{}|/\-&!#%,:;<=>@`~]/.test(char) ? `\\${char}` : char;
}
