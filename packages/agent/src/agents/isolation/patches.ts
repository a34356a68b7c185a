// The patches of work that could not land.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the file with the changes. An existing patch is not overwritten. */
export function keepPatch(folder: string, id: string, patch: Uint8Array): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let number = 1;
  while (existsSync(patchFile(folder, id, number))) {
    const file = patchFile(folder, id, number++);
    if (readFileSync(file).equals(patch)) return file;
  }
  const file = patchFile(folder, id, number);
  try {
    writeFileSync(`${file}.new`, patch, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } finally {
    rmSync(`${file}.new`, { force: true });
  }
  return file;
}

/** The newest patch that was kept under this name. */
export function keptPatch(folder: string, id: string): string | undefined {
  let number = 1;
  while (existsSync(patchFile(folder, id, number))) number++;
  return number === 1 ? undefined : patchFile(folder, id, number - 1);
}

const patchFile = (folder: string, id: string, number: number): string =>
  join(folder, number === 1 ? `${id}.patch` : `${id}.${number}.patch`);
