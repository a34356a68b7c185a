// Files that remember the contents of journals. Each is only a copy, so if anything is wrong with one, the journals are
// read.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Empty if there is no such file or another version of the program wrote it. */
export function loadMemory<Row>(file: string, version: number): readonly Row[] {
  try {
    const memory = JSON.parse(readFileSync(file, "utf8")) as { version: number; rows: readonly Row[] };
    return memory.version === version ? memory.rows : [];
  } catch {
    return [];
  }
}

/** Best effort: a full or read-only home directory must not stop a listing. */
export function saveMemory<Row>(file: string, version: number, rows: readonly Row[]): void {
  const aside = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(aside, JSON.stringify({ version, rows }), { mode: 0o600 });
    renameSync(aside, file);
  } catch {
    rmSync(aside, { force: true }); // the next listing reads the journals again
  }
}
