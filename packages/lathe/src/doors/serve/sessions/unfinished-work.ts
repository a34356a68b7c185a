// Which sessions were working, in a file each: what a server reads when it starts again after it was killed. That a session has unfinished
// work says its journal; this only says where to look, and how often it was tried in vain.

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../../platform/home/folder-names.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";

/** A session that dies as often as that before its turn ends is left alone. */
export const MOST_TRIES = 3;

export class UnfinishedWork {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Ids of sessions. */
  list(): readonly string[] {
    return namesIn(this.#folder).filter((name) => !name.endsWith(".tmp"));
  }

  /** How often the session was continued since it last got on; undefined when it was not working. */
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

  done(id: string): void {
    rmSync(join(this.#folder, id), { force: true });
  }
}
