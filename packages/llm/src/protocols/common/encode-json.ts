// Values as the JSON text that goes into a request. Half characters are replaced here: shortened text and odd files hold them, no vendor
// takes them, and once in a history they would make every later request fail.

/** The JSON of a value, with U+FFFD in place of each half of a surrogate pair that stands alone. */
export function encodeJson(value: unknown): string {
  return wholeCharacters(JSON.stringify(value));
}

/** The same for JSON text that others have written. */
export function wholeCharacters(json: string): string {
  // JSON.stringify writes halves as escapes, and nothing else so.
  // Most texts have no escape of this kind: to look for one takes less than to compile the pattern, which a start would do.
  return json.includes("\\u") && HALF.test(json)
    ? json.replace(ESCAPE, (found) => (LONE.test(found) ? "\ufffd" : found))
    : json;
}

const HALF = /\\ud[89a-f]/i;
/** A pair of halves, any other escape, so that `\\ud800` behind an escaped backslash is seen as the text it is. */
const ESCAPE = /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|u[0-9a-f]{4}|[\s\S])/gi;
const LONE = /^\\ud[89a-f][0-9a-f]{2}$/i;
