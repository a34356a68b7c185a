// Removes line numbers that a model copied from a read into the text of a file or an edit.

/** The formats of read_file and of `cat -n`: a table with a bare tab or bar after its first column is not a read. */
const BAR = /^(?= *\d+ \|| {5}\d\t| {4}\d\d\t| {3}\d{3}\t| {2}\d{4}\t) *(\d+)(?: \| ?|\t)(.*)$/s;
const COLON = /^(\d+):(.*)$/s;

/**
 * The text without its line numbers, if every line has one and they count up from 1; otherwise undefined. A colon
 * separator counts only if reads are shown that way.
 */
export function withoutLineNumbers(content: string, separator: "bar" | "colon" = "bar"): string | undefined {
  const lines = content.split("\n");
  const ending = lines.at(-1) === "" ? [lines.pop() as string] : [];
  // A single line is not enough to tell.
  if (lines.length < 2) return undefined;
  const bare: string[] = [];
  for (const [i, line] of lines.entries()) {
    const [, number, text] = (separator === "bar" ? BAR : COLON).exec(line) ?? [];
    if (text === undefined || Number(number) !== i + 1) return undefined;
    bare.push(text);
  }
  // `1: a` with a space on every line is YAML; a read has none.
  if (separator === "colon" && bare.every((line) => line === "" || line.startsWith(" "))) return undefined;
  return [...bare, ...ending].join("\n");
}

/**
 * A quoted piece without line numbers, if every line has one and they count up from any number; otherwise undefined.
 */
export function withoutNumbers(quoted: string): string | undefined {
  const lines = quoted.split("\n");
  const ending = lines.at(-1) === "" ? [lines.pop() as string] : [];
  const parts = lines.map((line) => BAR.exec(line));
  const first = Number(parts[0]?.[1]);
  if (parts.some((part, index) => Number(part?.[1]) !== first + index)) return undefined;
  return [...parts.map((part) => part?.[2] as string), ...ending].join("\n");
}
