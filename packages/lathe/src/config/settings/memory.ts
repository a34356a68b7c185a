// What settings files said when they were last parsed, so that a start does not load the YAML reader again. Goes by the
// whole text of a file, and is only a copy: anything wrong with it means parsing.

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

  /** Undefined when this file did not say this. */
  get(file: string, text: string): { readonly value: unknown } | undefined {
    const known = Object.hasOwn(this.#known, file) ? this.#known[file] : undefined;
    return known?.text === text ? known : undefined;
  }

  set(file: string, text: string, value: unknown): void {
    // YAML has values that JSON has not.
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value)) return;
    const all = { ...load(this.#file), [file]: { text, value } };
    const aside = `${this.#file}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(aside, JSON.stringify(all), { mode: 0o600 });
      renameSync(aside, this.#file);
    } catch {
      // a full or read-only home: parsed again next time
    }
  }
}

function load(file: string): Readonly<Record<string, Parsed>> {
  try {
    const value: unknown = JSON.parse(readIfThere(file) ?? "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, Parsed>) : {};
  } catch {
    return {}; // damaged, or not to be read: as if there was none
  }
}
