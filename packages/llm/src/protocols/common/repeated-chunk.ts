// Long answers come in thousands of chunks that differ in one text only. Parsing the JSON of each takes longer than everything else
// that we do with it, so a chunk that repeats a known one around its text is not parsed again: only the text is read out of it.

/** Some vendors put a random or a growing value into each chunk; then looking for repetitions is not worth it. */
const MOST_FAILURES = 8;

export class RepeatedChunk {
  /** Matches the chunk with any text that has no quotes. */
  #pattern: RegExp | undefined;
  #take: ((text: string) => void) | undefined;
  #failures = 0;

  /**
   * A chunk that was parsed, and nothing in it has an effect but the text of the field `name`, which `take` gets: from now on
   * others that are the same but for this text are taken, too.
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

  /** What has been parsed is another kind of chunk: it may have changed what the known one would mean now. */
  forget(): void {
    this.#take = undefined;
  }

  /** Whether the chunk was the known one with another text. */
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

/** Where the text of a field begins, in JSON without escapes that has the name of this field once; else -1. */
function beginOfText(data: string, name: string): number {
  const key = `"${name}"`;
  const at = data.indexOf(key);
  if (at < 0 || at !== data.lastIndexOf(key) || data.includes("\\")) return -1;
  const opening = /\s*:\s*"/y;
  opening.lastIndex = at + key.length;
  return opening.test(data) ? opening.lastIndex : -1;
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Longer pieces are not copied by the engine: they would keep all that arrived with them in memory. */
const MOST_COPIED = 12;
const NOT_PLAIN = /[\\\p{Cc}]/u;

/** The text that the inside of a JSON string stands for; undefined when it is no proper one. */
function textOf(inside: string): string | undefined {
  if (inside.length <= MOST_COPIED && !NOT_PLAIN.test(inside)) return inside;
  try {
    const text: unknown = JSON.parse(`"${inside}"`);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
