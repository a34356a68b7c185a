// A place in a text of lines. The offset counts UTF-16 units and is always between two clusters.

export interface Place {
  readonly line: number;
  readonly offset: number;
}

export const START: Place = { line: 0, offset: 0 };

export const isBefore = (a: Place, b: Place): boolean => a.line < b.line || (a.line === b.line && a.offset < b.offset);

export const isSame = (a: Place, b: Place): boolean => a.line === b.line && a.offset === b.offset;

/** Where a text ends after it was inserted at a place. */
export function endOf(at: Place, text: string): Place {
  const last = text.lastIndexOf("\n");
  if (last < 0) return { line: at.line, offset: at.offset + text.length };
  let lines = 0;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) lines++;
  return { line: at.line + lines, offset: text.length - last - 1 };
}
