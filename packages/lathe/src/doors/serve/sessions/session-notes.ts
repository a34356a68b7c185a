// What a server keeps of single sessions, in a small file each: it is there after the server was killed.

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../../platform/home/folder-names.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";

export class SessionNotes {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Ids of sessions. */
  list(): readonly string[] {
    return namesIn(this.#folder).filter((name) => !name.endsWith(".tmp"));
  }

  read(id: string): string | undefined {
    return readIfReadable(join(this.#folder, id))?.trim();
  }

  write(id: string, text: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = join(this.#folder, id);
    writeFileSync(`${file}.tmp`, `${text}\n`, { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  }

  remove(id: string): void {
    rmSync(join(this.#folder, id), { force: true });
  }
}
