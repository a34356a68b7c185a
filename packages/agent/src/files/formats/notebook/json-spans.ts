// Locates the parts of a JSON text, so that one of them can be replaced and all others keep their bytes. The text is
// known to be valid JSON.

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Values of an object's members by key; for duplicate keys the last one, as in JSON parsers. */
export function memberSpans(json: string, object: Span): Map<string, Span> {
  const members = new Map<string, Span>();
  let at = skipSpace(json, object.start + 1);
  while (json[at] !== "}") {
    const key = valueSpan(json, at);
    const value = valueSpan(json, skipSpace(json, key.end) + 1);
    members.set(JSON.parse(json.slice(key.start, key.end)) as string, value);
    at = afterComma(json, value.end);
  }
  return members;
}

export function itemSpans(json: string, array: Span): Span[] {
  const items: Span[] = [];
  let at = skipSpace(json, array.start + 1);
  while (json[at] !== "]") {
    const item = valueSpan(json, at);
    items.push(item);
    at = afterComma(json, item.end);
  }
  return items;
}

/** The value that begins at `from` or after white space there. */
export function valueSpan(json: string, from: number): Span {
  const start = skipSpace(json, from);
  const first = json[start];
  if (first === '"') return { start, end: stringEnd(json, start) };
  if (first !== "{" && first !== "[") {
    let end = start;
    while (end < json.length && !/[\s,\]}]/.test(json[end] as string)) end++;
    return { start, end };
  }
  let depth = 0;
  for (let at = start; ; at++) {
    const character = json[at];
    if (character === '"') at = stringEnd(json, at) - 1;
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return { start, end: at + 1 };
  }
}

/** Jumps from quote to quote, because outputs of notebooks are long strings. */
function stringEnd(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); ; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (/\s|\ufeff/.test(json[at] ?? "")) at++;
  return at;
}

function afterComma(json: string, from: number): number {
  const at = skipSpace(json, from);
  return json[at] === "," ? skipSpace(json, at + 1) : at;
}
