// Lines with their numbers, as the read faces show them.

/** A longer line is shortened: one minified file must not fill the whole answer. */
const LINE_LIMIT = 2_000;

export function numbered(lines: readonly string[], first: number): string {
  const width = String(first + lines.length - 1).length;
  return lines.map((line, i) => `${String(first + i).padStart(width)} | ${shorten(line)}`).join("\n");
}

export function shorten(line: string): string {
  if (line.length <= LINE_LIMIT) return line;
  const end = /[\uD800-\uDBFF]/.test(line[LINE_LIMIT - 1] ?? "") ? LINE_LIMIT - 1 : LINE_LIMIT;
  return `${line.slice(0, end)} [... ${line.length - end} more characters in this line]`;
}
