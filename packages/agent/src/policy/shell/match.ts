// Patterns of shell rules. A pattern is a list of words, separated by blanks; quotes hold a word together.
//
// - A last word `*` matches any further words, or none: `git log *` covers `git log` and `git log -3`, not
//   `git logout`.
// - Any other word `*` matches exactly one word, and a `*` inside a word any characters of that word: `npm run test:*`.
// - A word that is unknown until it runs (`$x`, a glob) is covered only by the last `*`.
// - A program without a folder in its name also covers the one in the system's folders (`/usr/bin/git`).

import type { OuterForm } from "../../contract/shell.ts";

/** The words of a pattern as users write it. */
export function patternWords(pattern: string): readonly string[] {
  return [...pattern.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"),
  );
}

/** The number of words in the pattern before its last `*`. */
export function namedLength(pattern: readonly string[]): number {
  return pattern.at(-1) === "*" ? pattern.length - 1 : pattern.length;
}

/** Whether an allow rule covers the words, whatever the unknown ones turn out to be. */
export function covers(pattern: readonly string[], { words, unknown }: OuterForm): boolean {
  const named = namedLength(pattern);
  if (words.length < named || (named === pattern.length && words.length > named)) return false;
  return pattern.slice(0, named).every((word, index) => {
    if (unknown.includes(index)) return false;
    return index === 0 ? isProgram(word, words[0] as string) : matchesWord(word, words[index] as string);
  });
}

function isProgram(pattern: string, program: string): boolean {
  if (matchesWord(pattern, program)) return true;
  const found = /^\/(?:usr\/|usr\/local\/|opt\/homebrew\/)?s?bin\/([^/]+)$/.exec(program);
  return found !== null && !pattern.includes("/") && matchesWord(pattern, found[1] as string);
}

function matchesWord(pattern: string, word: string): boolean {
  if (!pattern.includes("*")) return pattern === word;
  // Compares pieces from left to right: a regular expression with many stars would take forever on some words.
  const pieces = pattern.split("*");
  const [first, last] = [pieces[0] as string, pieces.at(-1) as string];
  if (word.length < first.length + last.length || !word.startsWith(first) || !word.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = word.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= word.length - last.length;
}

/** Whether a deny or ask rule matches the words: certainly, perhaps, or not. Any way of writing the program counts. */
export function meets(pattern: readonly string[], form: OuterForm): "yes" | "perhaps" | "no" {
  const { words, unknown } = form;
  const program = words[0];
  // Shortcut: most rules are about another program.
  if (program !== undefined && !unknown.includes(0) && namedLength(pattern) > 0)
    if (!meetsProgram(pattern[0] as string, program)) return "no";
  const direct = meetsWords(pattern, words, unknown);
  if (direct !== "no") return direct;
  // Options before the subcommand: `npm --prefix x publish`.
  if (program === undefined || !words[1]?.startsWith("-")) return "no";
  const isHidden = words.some(
    (_, index) => index > 1 && meetsWords(pattern, [program, ...words.slice(index)], []) === "yes",
  );
  return isHidden ? "perhaps" : "no";
}

function meetsWords(
  pattern: readonly string[],
  words: readonly string[],
  unknown: readonly number[],
): "yes" | "perhaps" | "no" {
  const named = namedLength(pattern);
  for (let index = 0; index < named; index++) {
    // It may expand to any number of words, so what follows may be at any position.
    if (unknown.includes(index)) return "perhaps";
    const word = words[index];
    if (word === undefined) return "no";
    const wanted = pattern[index] as string;
    const isMet = index === 0 ? meetsProgram(wanted, word) : matchesWord(wanted, word);
    if (!isMet) return "no";
  }
  if (named < pattern.length || words.length === named) return "yes";
  return words.slice(named).every((_, index) => unknown.includes(index + named)) ? "perhaps" : "no";
}

function meetsProgram(pattern: string, program: string): boolean {
  const name = program.slice(program.lastIndexOf("/") + 1).toLowerCase();
  return matchesWord(pattern, program) || matchesWord(pattern.slice(pattern.lastIndexOf("/") + 1).toLowerCase(), name);
}
