// Keeps known secrets out of what a session writes down, sends and shows: each is replaced by `[redacted:NAME]` in what comes
// from tools, files and people (decision 0076).

import { RedactingBytes, RedactingStream, withoutSecrets } from "./replace.ts";
import { type Secret, secretValues } from "./secret-values.ts";

/** Deeper than any real value. */
const MOST_NESTING = 500;

/** Replaces known secrets by their names in text, data and streams. */
export class Redactor {
  #first: (() => Iterable<Secret>) | undefined;
  /** By value; the first name stays. */
  readonly #names = new Map<string, string>();
  /** Longest first. */
  #secrets: readonly Secret[] = [];

  /** `first` is called with the first text, so that it does not slow down the start. */
  constructor(first?: () => Iterable<Secret>) {
    this.#first = first;
  }

  /** Parts of the value that are too common to be replaced are skipped. */
  add(name: string, value: string): void {
    this.#learn(secretValues(name, value));
  }

  text(text: string): string {
    return withoutSecrets(text, this.#known());
  }

  /** All strings inside plain data; the same object when nothing had to change. Bytes and instances are left alone. */
  value<T>(value: T, depth = 0): T {
    if (typeof value === "string") return this.text(value) as T;
    if (typeof value !== "object" || value === null || depth > MOST_NESTING) return value;
    if (Array.isArray(value)) {
      const mapped = value.map((inner) => this.value(inner, depth + 1));
      return mapped.every((inner, index) => inner === value[index]) ? value : (mapped as T);
    }
    if (!isPlain(value)) return value;
    let changed: Record<string, unknown> | undefined;
    for (const [key, inner] of Object.entries(value)) {
      const mapped: unknown = this.value(inner, depth + 1);
      if (mapped === inner) continue;
      changed ??= { ...(value as Record<string, unknown>) };
      changed[key] = mapped;
    }
    return (changed ?? value) as T;
  }

  stream(): RedactingStream {
    return new RedactingStream(() => this.#known());
  }

  byteStream(): RedactingBytes {
    return new RedactingBytes(() => this.#known());
  }

  #known(): readonly Secret[] {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) this.#learn([...first()].flatMap(({ name, value }) => secretValues(name, value)));
    return this.#secrets;
  }

  #learn(secrets: readonly Secret[]): void {
    const before = this.#names.size;
    for (const { name, value } of secrets) if (!this.#names.has(value)) this.#names.set(value, name);
    if (this.#names.size === before) return;
    this.#secrets = [...this.#names]
      .map(([value, name]) => ({ name, value }))
      .sort((a, b) => b.value.length - a.value.length);
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
