// Checks whether a quote is in its file, and on which line. This catches what a model misremembers before the user
// reads it.

/** How many lines a wrong line number may be off, if the quote occurs more than once. */
const NEAR = 5;
/** Part of a line identifies it only if it is at least this long. */
const SHORTEST_PART = 12;

export type QuotePlace = { readonly line: number; readonly quote: string } | { readonly problem: string };

/** `line` is absent if the reviewer named none. */
export function placeOfQuote(text: string, quote: string, line: number | undefined): QuotePlace {
  const lines = text.split(/\r?\n/);
  const wanted = wantedLines(quote);
  if (wanted.length === 0) return { problem: "it quotes nothing" };
  const starts = startsOf(lines, wanted);
  const found = starts.length > 0 ? starts : startsOf(lines, withoutPlusSign(wanted));
  const place = (start: number): QuotePlace => ({
    line: start + 1,
    quote: lines
      .slice(start, start + wanted.length)
      .join("\n")
      .trim(),
  });
  if (line !== undefined && found.includes(line - 1)) return place(line - 1);
  const [only] = found;
  if (only === undefined) return { problem: "the quote is not in the file" };
  // A brace is on many lines, so it only counts on the line that the reviewer named.
  if (!/\w{2}/.test(wanted.join(""))) return { problem: "the quote is not on that line" };
  if (found.length === 1) return place(only);
  if (line === undefined) return { problem: `the quote is on ${found.length} lines, and no line was named` };
  const [nearest = only, next] = [...found].sort((a, b) => Math.abs(a + 1 - line) - Math.abs(b + 1 - line));
  const distance = (start: number): number => Math.abs(start + 1 - line);
  if (distance(nearest) > NEAR || (next !== undefined && distance(next) === distance(nearest)))
    return { problem: `the quote is on lines ${found.map((start) => start + 1).join(", ")}, not on line ${line}` };
  return place(nearest);
}

/** Models easily lose indentation and blank lines around a quote, but not words. */
function wantedLines(quote: string): string[] {
  const lines = quote.split(/\r?\n/).map((line) => line.trim());
  const first = lines.findIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== "") + 1);
}

/** Removes the `+` of an added line in a diff. */
const withoutPlusSign = (wanted: readonly string[]): string[] => wanted.map((line) => line.replace(/^\+\s*/, ""));

function startsOf(lines: readonly string[], wanted: readonly string[]): number[] {
  const [only = ""] = wanted;
  const isPart = wanted.length === 1 && only.length >= SHORTEST_PART;
  const whole: number[] = [];
  const parts: number[] = [];
  for (let start = 0; start + wanted.length <= lines.length; start++) {
    if (wanted.every((line, i) => lines[start + i]?.trim() === line)) whole.push(start);
    else if (isPart && lines[start]?.includes(only)) parts.push(start);
  }
  return whole.length > 0 ? whole : parts;
}
