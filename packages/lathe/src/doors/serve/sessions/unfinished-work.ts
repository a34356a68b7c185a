// Marks sessions that are working, one file each, for a server that restarts after it was killed. The journal tells
// whether work is unfinished; these files only tell where to look, and how often continuing has failed.

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../../platform/home/folder-names.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";

/** A session that dies this often before its turn ends is left alone. */
export const MOST_TRIES = 3;

export class UnfinishedWork {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Ids of the marked sessions. */
  list(): readonly string[] {
    return namesIn(this.#folder).filter((name) => !name.endsWith(".tmp"));
  }

  /** Attempts to continue since the session last made progress; undefined if it was not working. */
  tries(id: string): number | undefined {
    const text = readIfReadable(join(this.#folder, id));
    return text === undefined ? undefined : Number(text) || 0;
  }

  note(id: string, tries: number): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = join(this.#folder, id);
    writeFileSync(`${file}.tmp`, `${tries}\n`, { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  }

  remove(id: string): void {
    rmSync(join(this.#folder, id), { force: true });
  }
}
