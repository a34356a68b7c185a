// Parses JSON as small models write it: single quotes, bare keys, Python's literals, raw line breaks in strings,
// trailing commas, missing brackets at the end. Ambiguous text is refused: a quote inside a string ends it, and nothing
// is guessed.

import type { JsonObject, JsonValue } from "../types/json.ts";

/** Nested deeper than any call. */
const MOST_DEPTH = 64;
const WORDS: Readonly<Record<string, JsonValue>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
};
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

class NotJson extends Error {}

/**
 * All values of a text, one after another; undefined if there is anything else between them, or one is cut off inside a
 * string.
 */
export function looseValues(text: string): JsonValue[] | undefined {
  try {
    return new LooseReader(text).values();
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}

/** `name: value` or `name=value` pairs up to the end of the text, as inside the brackets of a function call. */
export function looseArguments(text: string): JsonObject | undefined {
  try {
    return new LooseReader(text).namedValues();
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}

class LooseReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  values(): JsonValue[] {
    const values: JsonValue[] = [];
    for (this.#space(); this.#at < this.#text.length; this.#space()) {
      if (!"{[".includes(this.#text[this.#at]!)) throw new NotJson();
      values.push(this.#value(0));
      this.#space();
      if (this.#text[this.#at] === "," || this.#text[this.#at] === ";") this.#at++;
    }
    return values;
  }

  namedValues(): JsonObject {
    const entries: [string, JsonValue][] = [];
    for (this.#space(); this.#at < this.#text.length; this.#space()) {
      const key = this.#match(/[A-Za-z_][\w-]*/y);
      this.#space();
      if (key === undefined || this.#match(/=/y) === undefined) throw new NotJson();
      this.#space();
      entries.push([key, this.#value(0)]);
      this.#space();
      if (this.#at < this.#text.length && this.#match(/,/y) === undefined) throw new NotJson();
    }
    return Object.fromEntries(entries);
  }

  #value(depth: number): JsonValue {
    if (depth > MOST_DEPTH) throw new NotJson();
    const first = this.#text[this.#at];
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#array(depth);
    if (first === '"' || first === "'") return this.#string(first);
    const number = this.#match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y);
    if (number !== undefined) return Number(number);
    const word = this.#match(/[A-Za-z]+(?!\w)/y);
    if (word !== undefined && Object.hasOwn(WORDS, word)) return WORDS[word]!;
    throw new NotJson();
  }

  #object(depth: number): JsonObject {
    const entries: [string, JsonValue][] = [];
    this.#at++;
    for (;;) {
      this.#space();
      if (this.#ends("}")) return Object.fromEntries(entries);
      const first = this.#text[this.#at]!;
      const key = first === '"' || first === "'" ? this.#string(first) : this.#match(/[A-Za-z_$][\w$-]*/y);
      this.#space();
      if (key === undefined || this.#match(/:/y) === undefined) throw new NotJson();
      this.#space();
      entries.push([key, this.#value(depth + 1)]);
      this.#separator("}");
    }
  }

  #array(depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    this.#at++;
    for (;;) {
      this.#space();
      if (this.#ends("]")) return items;
      items.push(this.#value(depth + 1));
      this.#separator("]");
    }
  }

  /** Accepts the closing bracket, or the end of the text, because models forget it there. */
  #ends(bracket: string): boolean {
    if (this.#at >= this.#text.length) return true;
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  #separator(bracket: string): void {
    this.#space();
    if (this.#at >= this.#text.length || this.#text[this.#at] === bracket) return;
    if (this.#match(/,/y) === undefined) throw new NotJson();
  }

  #string(quote: string): string {
    const pieces: string[] = [];
    for (let from = ++this.#at; ; this.#at++) {
      const char = this.#text[this.#at];
      if (char === undefined) throw new NotJson();
      if (char !== quote && char !== "\\") continue;
      pieces.push(this.#text.slice(from, this.#at));
      if (char === quote) {
        this.#at++;
        return pieces.join("");
      }
      pieces.push(this.#escape());
      from = this.#at + 1;
    }
  }

  /**
   * Ends on the escape's last character. A backslash before an unknown character stays: it usually belongs to a pattern
   * or a path.
   */
  #escape(): string {
    const char = this.#text[++this.#at];
    if (char === undefined) throw new NotJson();
    if (char === "u") {
      const code = /^[0-9a-fA-F]{4}/.exec(this.#text.slice(this.#at + 1, this.#at + 5))?.[0];
      if (code === undefined) return "\\u";
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    if (Object.hasOwn(ESCAPES, char)) return ESCAPES[char]!;
    return `"'\\/`.includes(char) ? char : char === "\n" ? "" : `\\${char}`;
  }

  #space(): void {
    this.#match(/\s+/y);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}
