// Long answers come in thousands of chunks that differ only in one text. Parsing the JSON of each takes longer than
// everything else that we do with it. If a chunk repeats a known one around its text, we do not parse it again and only
// extract the text.

/** Some vendors put a random or growing value into each chunk; then we stop looking for repetitions. */
const MOST_FAILURES = 8;

export class RepeatedChunk {
  /** Matches the chunk with any text that contains no quotes. */
  #pattern: RegExp | undefined;
  #take: ((text: string) => void) | undefined;
  #failures = 0;

  /**
   * Learns a parsed chunk in which only the text of the field `name` has an effect; `take` gets that text. From now on,
   * chunks that differ only in this text are handled too.
   */
  learn(data: string, name: string, text: string, take: (text: string) => void): void {
    if (this.#failures >= MOST_FAILURES) return;
    this.#failures++;
    const begin = beginOfText(data, name);
    const end = begin + text.length;
    if (begin < 0 || !data.startsWith(`${text}"`, begin)) return;
    this.#pattern = new RegExp(`^${literal(data.slice(0, begin))}([^"]*)${literal(data.slice(end))}$`);
    this.#take = take;
  }

  /** Called after a chunk of another kind, which may have changed the meaning of the known one. */
  forget(): void {
    this.#take = undefined;
  }

  /** True if the chunk was the known one with another text; `take` was then called. */
  isTaken(data: string): boolean {
    if (this.#take === undefined) return false;
    const inside = this.#pattern?.exec(data)?.[1];
    const text = inside === undefined ? undefined : textOf(inside);
    if (text === undefined) return false;
    this.#failures = 0;
    this.#take(text);
    return true;
  }
}

/** The start of a field's text in JSON without escapes that contains the field's name once; otherwise -1. */
function beginOfText(data: string, name: string): number {
  const key = `"${name}"`;
  const at = data.indexOf(key);
  if (at < 0 || at !== data.lastIndexOf(key) || data.includes("\\")) return -1;
  const opening = /\s*:\s*"/y;
  opening.lastIndex = at + key.length;
  return opening.test(data) ? opening.lastIndex : -1;
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** The engine does not copy longer pieces: they would keep everything that arrived with them in memory. */
const MOST_COPIED = 12;
const NOT_PLAIN = /[\\\p{Cc}]/u;

/** Decodes the inside of a JSON string; undefined if it is malformed. */
function textOf(inside: string): string | undefined {
  if (inside.length <= MOST_COPIED && !NOT_PLAIN.test(inside)) return inside;
  try {
    const text: unknown = JSON.parse(`"${inside}"`);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
