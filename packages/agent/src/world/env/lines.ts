// Line windows over text, shared by the readFile of every environment.

/** Lines `offset` (1-based) to `offset + limit - 1` with their endings; the whole text if neither is given. */
export function lineWindow(text: string, offset?: number, limit?: number): string {
  if (offset === undefined && limit === undefined) return text;
  const first = Math.max(1, offset ?? 1);
  let start = 0;
  for (let line = 1; line < first; line++) {
    const end = text.indexOf("\n", start);
    if (end === -1) return "";
    start = end + 1;
  }
  if (limit === undefined) return text.slice(start);
  let end = start;
  for (let line = 0; line < limit; line++) {
    const next = text.indexOf("\n", end);
    if (next === -1) return text.slice(start);
    end = next + 1;
  }
  return text.slice(start, end);
}
