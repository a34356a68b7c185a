// A JSON file of secrets or their hashes: readable by its owner only, validated, and read again whenever it changes, so
// that an entry removed by another process stops working at once.

import { chmodSync, statSync } from "node:fs";
import type { Checker } from "@lathe/llm/schema";
import { usageError } from "../usage/exit.ts";
import { readJsonFile, updateJsonFile } from "./json-file.ts";

export interface PrivateFileOptions<T> {
  readonly checker: Checker;
  /** The value used while the file does not exist. */
  readonly empty: T;
  /** Tells the user what to do about a damaged file. */
  readonly advice: string;
}

export class PrivateFile<T> {
  readonly path: string;
  readonly #options: PrivateFileOptions<T>;
  #read: { readonly mark: string; readonly value: T } | undefined;

  constructor(path: string, options: PrivateFileOptions<T>) {
    this.path = path;
    this.#options = options;
  }

  value(): T {
    const stat = statSync(this.path, { throwIfNoEntry: false });
    if (stat === undefined) return this.#options.empty;
    const mark = `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
    if (this.#read?.mark === mark) return this.#read.value;
    // The file may have been copied or restored with other permissions: make it private before using its contents.
    if ((stat.mode & 0o077) !== 0) chmodSync(this.path, 0o600);
    this.#read = { mark, value: this.#validate(readJsonFile(this.path)) };
    return this.#read.value;
  }

  /** The last value read, without checking whether the file has changed. */
  lastRead(): T {
    return this.#read?.value ?? this.value();
  }

  async change(change: (value: T) => T): Promise<void> {
    await updateJsonFile(this.path, (value) => change(this.#validate(value)));
    this.#read = undefined;
  }

  #validate(value: unknown): T {
    const { checker, empty, advice } = this.#options;
    if (value === undefined) return empty;
    const wrong = checker.wrongIn(value);
    if (wrong !== undefined) throw usageError(`${this.path}: ${wrong}. ${advice}`);
    return value as T;
  }
}
