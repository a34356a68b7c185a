// The parts of a word that may be paths.

/**
 * The word, the value of an option, and what stands between separators: `-o.git/x`, `--dir=/x`, `if=/x`, `f=@/x`,
 * `a:/x`. An address of the web contains none.
 */
export function pathCandidates(word: string): string[] {
  const option = /^-[\w-]*=/.exec(word)?.[0] ?? "";
  if (/^(?!file:)[\w+.-]+:\/\//i.test(word.slice(option.length))) return [];
  const pieces = /\s/.test(word) ? [word.slice(word.indexOf("=") + 1)] : word.split(/[=,:@{}]/);
  const found = [word, ...pieces].filter((text) => text !== "" && !text.startsWith("-"));
  return [...new Set([...found, ...attachedValues(word)])];
}

/** Only so many letters at either end are tried: no name that matters is longer. */
const MOST_LETTERS = 64;

/**
 * What follows each letter of an option with one dash: any of them may be the last letter, as in `-sT.env` and
 * `-include.env`.
 */
export function attachedValues(word: string): string[] {
  const letters = /^-([\w#:]+)/.exec(word)?.[1] ?? "";
  const ends = Array.from(letters, (_, at) => at).filter(
    (at) => at < MOST_LETTERS || at >= letters.length - MOST_LETTERS,
  );
  return ends.map((at) => word.slice(at + 2)).filter((text) => text !== "" && !text.startsWith("-"));
}

/** Another folder than the one that the text names may be meant: after a folder that may be a link, `..` leads anywhere. */
export const climbsLater = (path: string): boolean =>
  path
    .replace(/^(?:\.\.\/)*(?:\.\.$)?/, "")
    .split("/")
    .includes("..");
