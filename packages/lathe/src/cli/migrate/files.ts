// The files that a migration writes, and its backups of those it changes.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { copyFile, cp, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { replaceFile } from "../../platform/home/json-file.ts";
import { isDirectory, readIfThere } from "../../platform/home/small-file.ts";

export const readExisting = (file: string): string | undefined => readIfThere(file);

export async function writeFileWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, text);
}

/** Links are not followed: their targets stay where they are. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
}

/** Paths below the folder; empty if there is no such folder. */
export function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

export function sameFolder(one: string, other: string): boolean {
  const [mine, theirs] = [filesBelow(one), filesBelow(other)];
  return (
    mine.length === theirs.length &&
    mine.every((path, i) => path === theirs[i] && readFileSync(join(one, path)).equals(readFileSync(join(other, path))))
  );
}

/**
 * Copies the file to one next to it, once per migration. Returns the copy's name, or undefined if there is nothing to
 * keep.
 */
export async function backUp(path: string): Promise<string | undefined> {
  if (!existsSync(path)) return undefined;
  let copy = `${path}.before-migrate`;
  for (let n = 2; existsSync(copy); n++) copy = `${path}.before-migrate-${n}`;
  if (isDirectory(path)) await cp(path, copy, { recursive: true, verbatimSymlinks: true });
  else await copyFile(path, copy);
  return copy;
}
