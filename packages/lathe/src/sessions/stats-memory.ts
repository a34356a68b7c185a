// Remembers the costs of journals: a file that has not changed since is not opened again.

import { type FileStats, statsOfFile } from "./file-stats.ts";
import type { SessionFile } from "./files.ts";
import { loadMemory, saveMemory } from "./memory-file.ts";

/** `stats` is absent for a file that is not a session. */
interface Remembered extends SessionFile {
  readonly stats?: FileStats | undefined;
}

const VERSION = 4;
/** With fewer files, reading them is cheaper than keeping a memory. */
const WORTH_REMEMBERING = 50;

export class StatsMemory {
  readonly #file: string;
  readonly #known: ReadonlyMap<string, Remembered>;
  readonly #rows: Remembered[] = [];
  #hasNew = false;

  constructor(file: string) {
    this.#file = file;
    this.#known = new Map(loadMemory<Remembered>(file, VERSION).map((row) => [row.path, row]));
  }

  /** A journal only grows, so its size and time show whether it has changed. */
  statsOf({ path, mtimeMs, bytes }: SessionFile): FileStats | undefined {
    const known = this.#known.get(path);
    const isSame = known?.mtimeMs === mtimeMs && known.bytes === bytes;
    const row = isSame ? known : { path, mtimeMs, bytes, stats: statsOfFile(path) };
    this.#rows.push(row);
    this.#hasNew ||= !isSame;
    return row.stats;
  }

  /** Call this after all files have been requested. */
  save(): void {
    if (this.#rows.length < WORTH_REMEMBERING) return;
    if (this.#hasNew || this.#rows.length !== this.#known.size) saveMemory(this.#file, VERSION, this.#rows);
  }
}
