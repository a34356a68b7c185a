// Links the files of a folder under a second name, or copies them if the disk has no links.

import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Afterwards `to` contains the same files. Files already there must be identical, as after a process that was killed
 * here; otherwise it throws, after calling `onForeign`: the folder belongs to another process and must stay.
 */
export function linkFolder(from: string, to: string, onForeign: () => void): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const names = readdirSync(from);
  const foreign = readdirSync(to).find((name) => !names.includes(name) || !areSame(join(from, name), join(to, name)));
  if (foreign !== undefined) {
    onForeign();
    throw new Error(`${join(to, foreign)} is in the way`);
  }
  for (const name of names) link(join(from, name), join(to, name), onForeign);
}

function link(from: string, to: string, onForeign: () => void): void {
  if (statSync(from).isDirectory()) {
    linkFolder(from, to, onForeign);
    return;
  }
  if (statSync(to, { throwIfNoEntry: false })) return;
  try {
    linkSync(from, to);
  } catch {
    // Not every file system has links; if the copy fails too, its error says why.
    copyFileSync(from, to);
  }
}

function areSame(a: string, b: string): boolean {
  const [one, other] = [statSync(a), statSync(b)];
  if (one.isDirectory() || other.isDirectory()) return one.isDirectory() && other.isDirectory();
  if (one.ino === other.ino && one.dev === other.dev) return true;
  return one.isFile() && other.isFile() && one.size === other.size && readFileSync(a).equals(readFileSync(b));
}
