// The parts of a word that may be paths.

/**
 * The word, the value of an option, and what stands between separators: `-C../x`, `--dir=/x`, `if=/x`, `f=@/x`,
 * `a:/x`. An address of the web contains none.
 */
export function pathCandidates(word: string): string[] {
  const option = /^-[\w-]*=/.exec(word)?.[0] ?? "";
  if (/^(?!file:)[\w+.-]+:\/\//i.test(word.slice(option.length))) return [];
  const pieces = /\s/.test(word) ? [word.slice(word.indexOf("=") + 1)] : word.split(/[=,:@{}]/);
  const attached = /^-\w+?((?:\/|~|\.\.(?:\/|$)).*)$/s.exec(word)?.[1];
  const found = [word, ...pieces].filter((text) => text !== "" && !text.startsWith("-"));
  return [...new Set([...found, ...(attached === undefined ? [] : [attached])])];
}

/** Another folder than the one that the text names may be meant: after a folder that may be a link, `..` leads anywhere. */
export const climbsLater = (path: string): boolean =>
  path
    .replace(/^(?:\.\.\/)*(?:\.\.$)?/, "")
    .split("/")
    .includes("..");
