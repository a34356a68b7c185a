// Remembers the parsed contents of settings files, so that a start does not need to load the YAML reader. Entries match
// by the whole text of a file. This is only a copy: if anything is wrong with it, the file is parsed.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readIfThere } from "../../platform/home/small-file.ts";

interface Parsed {
  readonly text: string;
  readonly value: unknown;
}

export class SettingsMemory {
  readonly #file: string;
  readonly #known: Readonly<Record<string, Parsed>>;

  constructor(file: string) {
    this.#file = file;
    this.#known = load(file);
  }

  /** Undefined if this text of the file is not remembered. */
  get(file: string, text: string): { readonly value: unknown } | undefined {
    const known = Object.hasOwn(this.#known, file) ? this.#known[file] : undefined;
    return known?.text === text ? known : undefined;
  }

  set(file: string, text: string, value: unknown): void {
    // YAML can hold values that JSON cannot.
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value)) return;
    const all = { ...load(this.#file), [file]: { text, value } };
    const aside = `${this.#file}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(aside, JSON.stringify(all), { mode: 0o600 });
      renameSync(aside, this.#file);
    } catch {
      // the home directory is full or read-only: the file is parsed again next time
    }
  }
}

function load(file: string): Readonly<Record<string, Parsed>> {
  try {
    const value: unknown = JSON.parse(readIfThere(file) ?? "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, Parsed>) : {};
  } catch {
    return {}; // damaged or unreadable: nothing is remembered
  }
}
