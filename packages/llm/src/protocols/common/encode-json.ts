// Encodes values as JSON text for a request. Lone surrogates are replaced here: shortened text and odd files contain
// them, no vendor accepts them, and in a history they would make every later request fail.

/** The JSON of a value, with U+FFFD in place of each lone surrogate. */
export function encodeJson(value: unknown): string {
  return wholeCharacters(JSON.stringify(value));
}

/** Does the same for JSON text that was written elsewhere. */
export function wholeCharacters(json: string): string {
  // JSON.stringify writes only lone surrogates as \u escapes. Most texts have none, and searching for one takes less
  // time than compiling the pattern, which would slow down the start.
  return json.includes("\\u") && HALF.test(json)
    ? json.replace(ESCAPE, (found) => (LONE.test(found) ? "\ufffd" : found))
    : json;
}

const HALF = /\\ud[89a-f]/i;
/**
 * Matches a surrogate pair or any other escape, so that `\\ud800` after an escaped backslash is recognised as plain
 * text.
 */
const ESCAPE = /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|u[0-9a-f]{4}|[\s\S])/gi;
const LONE = /^\\ud[89a-f][0-9a-f]{2}$/i;
