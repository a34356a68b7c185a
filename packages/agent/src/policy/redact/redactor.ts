// Keeps known secrets out of what a session stores, sends and shows: each is replaced by `[redacted:NAME]` in text from
// tools, files and the user (decision 0076). A placeholder identifies one value, so that a tool can get the value back
// in the place where it belongs (decision 0309).

import { hostsByShape } from "../../base/secrets/secret-hosts.ts";
import { withoutPassword, withoutSecretShapes } from "../../base/secrets/secret-shapes.ts";
import { type Secret, secretValues } from "../../base/secrets/secret-values.ts";
import { RedactingBytes, RedactingStream, withoutSecrets } from "./replace.ts";

/** Deeper than any real value. */
const MOST_NESTING = 500;

const PLACEHOLDER = /\[redacted:([^\]\n]{1,200})\]/g;

/** Number of redacted secrets in a text. */
export const placeholdersIn = (text: string): number => text.match(PLACEHOLDER)?.length ?? 0;

/** A secret whose placeholder was shown, and the hosts that it belongs to. */
export interface ShownSecret {
  readonly name: string;
  readonly value: string;
  readonly hosts: readonly string[];
}

/** Replaces known secrets by their names in text, data and streams. */
export class Redactor {
  #first: (() => Iterable<Secret>) | undefined;
  readonly #hostsOf: (name: string) => readonly string[];
  /** By value; the first name is kept. */
  readonly #known = new Map<string, Secret>();
  /** By placeholder name, for those that have been used. */
  readonly #shown = new Map<string, Secret>();
  /** Longest first. */
  #secrets: readonly Secret[] = [];

  /**
   * `first` is called with the first text, so that it does not slow down the start. `hostsOf`: the hosts that a
   * variable or stored credential of this name belongs to.
   */
  constructor(first?: () => Iterable<Secret>, hostsOf: (name: string) => readonly string[] = () => []) {
    this.#first = first;
    this.#hostsOf = hostsOf;
  }

  /** Skips parts of the value that are too common to be redacted. `host`: the host that it belongs to, if known. */
  add(name: string, value: string, host?: string): void {
    this.#learn(secretValues(name, value).map((secret) => ({ ...(host === undefined ? {} : { host }), ...secret })));
  }

  text(text: string): string {
    return withoutSecrets(text, this.#loadSecrets(), (secret) => {
      this.#shown.set(secret.name, secret);
    });
  }

  /** Replaces the placeholders that have been shown by their values, in all strings inside plain data. */
  restore<T>(value: T): T {
    if (this.#shown.size === 0) return value;
    return mapStrings(value, (text) =>
      text.replace(PLACEHOLDER, (whole, name: string) => this.#shown.get(name)?.value ?? whole),
    );
  }

  /** The secrets that `restore` would insert, one per occurrence. */
  usedIn(value: unknown): readonly ShownSecret[] {
    const used: ShownSecret[] = [];
    if (this.#shown.size === 0) return used;
    mapStrings(value, (text) => {
      for (const [, placeholder = ""] of text.matchAll(PLACEHOLDER)) {
        const secret = this.#shown.get(placeholder);
        if (secret === undefined) continue;
        const { name, value: plain, host } = secret;
        const hosts = [
          ...(host === undefined ? [] : [host]),
          ...this.#hostsOf(name.replace(/:\d+$/, "")),
          ...hostsByShape(plain),
        ];
        used.push({ name, value: plain, hosts });
      }
      return text;
    });
    return used;
  }

  /**
   * Redacts all strings inside plain data; returns the same object if nothing had to change. Skips bytes and class
   * instances.
   */
  value<T>(value: T): T {
    if (this.#loadSecrets().length === 0) return value;
    return mapStrings(value, (text) => this.text(text));
  }

  /** For data that leaves the machine: also redacts text that only looks like a secret. */
  redactForSharing<T>(value: T): T {
    return mapStrings(value, (text, field) => withoutPassword(field, withoutSecretShapes(this.text(text))));
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

  /** Several values of one variable (an address and the password in it) need different names. */
  #freeName(name: string): string {
    const taken = new Set([...this.#known.values()].map((secret) => secret.name));
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}:${n}`;
    return free;
  }

  #learn(secrets: readonly Secret[]): void {
    const before = this.#known.size;
    for (const secret of secrets)
      if (!this.#known.has(secret.value))
        this.#known.set(secret.value, { ...secret, name: this.#freeName(secret.name) });
    if (this.#known.size === before) return;
    this.#secrets = [...this.#known.values()].sort((a, b) => b.value.length - a.value.length);
  }
}

/** Returns the same object if nothing had to change. Skips bytes and class instances. */
function mapStrings<T>(value: T, map: (text: string, field: string) => string, field = "", depth = 0): T {
  if (typeof value === "string") return map(value, field) as T;
  if (typeof value !== "object" || value === null || depth > MOST_NESTING) return value;
  if (Array.isArray(value)) {
    const mapped = value.map((inner) => mapStrings(inner, map, field, depth + 1));
    return mapped.every((inner, index) => inner === value[index]) ? value : (mapped as T);
  }
  if (!isPlain(value)) return value;
  let changed: Record<string, unknown> | undefined;
  for (const [key, inner] of Object.entries(value)) {
    const mapped: unknown = mapStrings(inner, map, key, depth + 1);
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
