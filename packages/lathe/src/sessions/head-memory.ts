// Remembers what lists of sessions showed: a file that has not changed since is not opened again. Only a copy of what the
// files say, so anything wrong with it means reading them.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { SessionFile } from "./files.ts";
import type { ListedSession } from "./list.ts";

interface Remembered {
  readonly mtimeMs: number;
  readonly bytes: number;
  /** Null: not listed. */
  readonly session: ListedSession | null;
}

const VERSION = 1;

export class HeadMemory {
  readonly #file: string;
  readonly #read: (file: SessionFile) => ListedSession | undefined;
  readonly #known: Readonly<Record<string, Remembered>>;
  readonly #seen: Record<string, Remembered> = {};
  #changed = false;

  constructor(file: string, read: (file: SessionFile) => ListedSession | undefined) {
    this.#file = file;
    this.#read = read;
    this.#known = load(file);
  }

  describe(file: SessionFile): ListedSession | undefined {
    let head = this.#known[file.path];
    if (!head || head.mtimeMs !== file.mtimeMs || head.bytes !== file.bytes) {
      head = { mtimeMs: file.mtimeMs, bytes: file.bytes, session: this.#read(file) ?? null };
      this.#changed = true;
    }
    this.#seen[file.path] = head;
    return head.session ?? undefined;
  }

  /** Best effort: a full or read-only home must not stop a listing. */
  save({ forgetOthers }: { readonly forgetOthers: boolean }): void {
    if (!this.#changed) return;
    const heads = forgetOthers ? this.#seen : { ...this.#known, ...this.#seen };
    const aside = `${this.#file}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(aside, JSON.stringify({ version: VERSION, heads }), { mode: 0o600 });
      renameSync(aside, this.#file);
    } catch {
      // the next listing reads the files again
    }
  }
}

function load(file: string): Record<string, Remembered> {
  try {
    const { version, heads } = JSON.parse(readFileSync(file, "utf8")) as { version: number; heads: unknown };
    return version === VERSION && typeof heads === "object" ? (heads as Record<string, Remembered>) : {};
  } catch {
    return {};
  }
}
