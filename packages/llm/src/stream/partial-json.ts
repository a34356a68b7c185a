// Reads JSON that is still arriving: closes open strings, arrays and objects, and drops a dangling key.

import { isJsonObject, type JsonObject, type JsonValue } from "../types/json.ts";

/** The value as far as it has arrived; undefined if nothing can be read yet or the text is not JSON. */
export function parsePartialJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return new PartialReader(text).read();
  }
}

/** Like parsePartialJson, for call arguments: anything but an object gives `{}`. */
export function parsePartialObject(text: string): JsonObject {
  const value = parsePartialJson(text);
  return isJsonObject(value) ? value : {};
}

/** Parses complete call arguments strictly; empty text means no arguments. */
export function parseArguments(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const MAX_DEPTH = 500;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const LITERALS: readonly (readonly [string, JsonValue])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

class PartialReader {
  readonly #text: string;
  #at = 0;
  /** The text ended, or stopped being JSON: everything open is closed as it is. */
  #over = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonValue | undefined {
    return this.#value(0);
  }

  #value(depth: number): JsonValue | undefined {
    this.#space();
    const char = this.#text[this.#at];
    if (char === undefined || depth > MAX_DEPTH) return this.#stop();
    if (char === "{") return this.#object(depth);
    if (char === "[") return this.#array(depth);
    if (char === '"') return this.#string();
    return this.#scalar();
  }

  #object(depth: number): JsonObject {
    const result: JsonObject = {};
    this.#at++;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] === "}") {
        this.#at++;
        return result;
      }
      if (this.#text[this.#at] !== '"') break;
      const key = this.#string();
      this.#space();
      if (this.#over || this.#text[this.#at] !== ":") break;
      this.#at++;
      const value = this.#value(depth + 1);
      if (value !== undefined) define(result, key, value);
      this.#space();
      if (this.#over) return result;
      const next = this.#text[this.#at];
      if (next === ",") this.#at++;
      else if (next !== "}") break;
    }
    this.#stop();
    return result;
  }

  #array(depth: number): JsonValue[] {
    const result: JsonValue[] = [];
    this.#at++;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] === "]") {
        this.#at++;
        return result;
      }
      const value = this.#value(depth + 1);
      if (value !== undefined) result.push(value);
      if (this.#over) return result;
      this.#space();
      const next = this.#text[this.#at];
      if (next === ",") this.#at++;
      else if (next !== "]") break;
    }
    this.#stop();
    return result;
  }

  #string(): string {
    let value = "";
    let plain = ++this.#at;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) {
        value += this.#text.slice(plain, this.#at);
        this.#over = true;
        return value;
      }
      if (char === '"') {
        value += this.#text.slice(plain, this.#at++);
        return value;
      }
      if (char !== "\\") {
        this.#at++;
        continue;
      }
      value += this.#text.slice(plain, this.#at);
      const escaped = this.#escape();
      if (escaped === undefined) {
        this.#over = true;
        return value;
      }
      value += escaped;
      plain = this.#at;
    }
  }

  /** An incomplete escape yields nothing, so that a preview never shows half a character. */
  #escape(): string | undefined {
    const kind = this.#text[this.#at + 1];
    if (kind === undefined) return undefined;
    if (kind !== "u") {
      this.#at += 2;
      return ESCAPES[kind] ?? kind;
    }
    const digits = this.#text.slice(this.#at + 2, this.#at + 6);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) return undefined;
    const unit = Number.parseInt(digits, 16);
    const highSurrogate = unit >= 0xd800 && unit <= 0xdbff;
    if (highSurrogate && this.#at + 6 >= this.#text.length) return undefined;
    if (highSurrogate && this.#text[this.#at + 6] === "\\" && this.#at + 12 > this.#text.length) return undefined;
    this.#at += 6;
    return String.fromCharCode(unit);
  }

  #scalar(): JsonValue | undefined {
    const match = /[^\s,\]}:"[{]*/y;
    match.lastIndex = this.#at;
    const word = match.exec(this.#text)?.[0] ?? "";
    if (word === "") return this.#stop();
    const atEnd = this.#at + word.length >= this.#text.length;
    this.#at += word.length;
    const literal = LITERALS.find(([name]) => name === word);
    if (literal !== undefined) return literal[1];
    if (!atEnd && /^-?\d/.test(word) && Number.isFinite(Number(word))) return Number(word);
    // A number at the very end may continue with the next byte; showing it early would be wrong.
    return this.#stop();
  }

  #space(): void {
    while (" \t\n\r".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #stop(): undefined {
    this.#over = true;
    return undefined;
  }
}

/** `__proto__` as a key must become a property, as JSON.parse makes it. */
function define(target: JsonObject, key: string, value: JsonValue): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
