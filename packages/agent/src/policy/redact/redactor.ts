// Keeps known secrets out of what a session writes down, sends and shows: each is replaced by `[redacted:NAME]` in what comes
// from tools, files and people (decision 0076). A placeholder stands for one value, so that a tool can be given the value again
// when the model uses the placeholder (decision 0157).

import { withoutSecretShapes } from "../../base/secrets/secret-shapes.ts";
import { type Secret, secretValues } from "../../base/secrets/secret-values.ts";
import { RedactingBytes, RedactingStream, withoutSecrets } from "./replace.ts";

/** Deeper than any real value. */
const MOST_NESTING = 500;

const PLACEHOLDER = /\[redacted:([^\]\n]{1,200})\]/g;

/** How many secret values were replaced in a text. */
export const placeholdersIn = (text: string): number => text.match(PLACEHOLDER)?.length ?? 0;

/** Replaces known secrets by their names in text, data and streams. */
export class Redactor {
  #first: (() => Iterable<Secret>) | undefined;
  /** Placeholder names by value; the first name stays. */
  readonly #names = new Map<string, string>();
  /** Values by the placeholder names that have been used. */
  readonly #shown = new Map<string, string>();
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
    return withoutSecrets(text, this.#loadSecrets(), ({ name, value }) => {
      this.#shown.set(name, value);
    });
  }

  /** Puts the values back in the place of placeholders that have been shown, in all strings inside plain data. */
  restore<T>(value: T): T {
    if (this.#shown.size === 0) return value;
    return mapStrings(value, (text) =>
      text.replace(PLACEHOLDER, (whole, name: string) => this.#shown.get(name) ?? whole),
    );
  }

  /** All strings inside plain data; the same object when nothing had to change. Bytes and instances are left alone. */
  value<T>(value: T): T {
    if (this.#loadSecrets().length === 0) return value;
    return mapStrings(value, (text) => this.text(text));
  }

  /** For what leaves the machine: what only looks like a secret is replaced as well. */
  redactForSharing<T>(value: T): T {
    return mapStrings(value, (text) => withoutSecretShapes(this.text(text)));
  }

  stream(): RedactingStream {
    return new RedactingStream(() => this.#loadSecrets());
  }

  byteStream(): RedactingBytes {
    return new RedactingBytes(() => this.#loadSecrets());
  }

  #loadSecrets(): readonly Secret[] {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) this.#learn([...first()].flatMap(({ name, value }) => secretValues(name, value)));
    return this.#secrets;
  }

  /** Several values of one variable (an address and the password in it) need names of their own. */
  #freeName(name: string): string {
    const taken = new Set(this.#names.values());
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}:${n}`;
    return free;
  }

  #learn(secrets: readonly Secret[]): void {
    const before = this.#names.size;
    for (const { name, value } of secrets) if (!this.#names.has(value)) this.#names.set(value, this.#freeName(name));
    if (this.#names.size === before) return;
    this.#secrets = [...this.#names]
      .map(([value, name]) => ({ name, value }))
      .sort((a, b) => b.value.length - a.value.length);
  }
}

/** The same object when nothing had to change. Bytes and instances are left alone. */
function mapStrings<T>(value: T, map: (text: string) => string, depth = 0): T {
  if (typeof value === "string") return map(value) as T;
  if (typeof value !== "object" || value === null || depth > MOST_NESTING) return value;
  if (Array.isArray(value)) {
    const mapped = value.map((inner) => mapStrings(inner, map, depth + 1));
    return mapped.every((inner, index) => inner === value[index]) ? value : (mapped as T);
  }
  if (!isPlain(value)) return value;
  let changed: Record<string, unknown> | undefined;
  for (const [key, inner] of Object.entries(value)) {
    const mapped: unknown = mapStrings(inner, map, depth + 1);
    if (mapped === inner) continue;
    changed ??= { ...(value as Record<string, unknown>) };
    changed[key] = mapped;
  }
  return (changed ?? value) as T;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
