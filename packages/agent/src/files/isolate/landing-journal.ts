// Journals what a landing, or a commit of several files, is about to do: if the process is killed in between, the next
// one undoes it, so that it happens as a whole or not at all.

import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isBehindLink, lstatOf } from "./on-disk.ts";
import type { LandedFile } from "./types.ts";
import { LANDED } from "./view-folder.ts";

/** What exists at a path: nothing, a file or a link. */
export type PathState =
  | { readonly kind: "absent" }
  | { readonly kind: "file"; readonly mode: number; readonly bytes: Uint8Array }
  | { readonly kind: "link"; readonly target: string };

/** A path before and after the landing; `top`: emptied folders above it are not removed. */
export interface LandingStep {
  readonly path: string;
  readonly top: string;
  readonly before: PathState;
  readonly after: PathState;
}

interface Line {
  readonly path: string;
  readonly top: string;
  readonly before: {
    readonly kind: PathState["kind"];
    readonly mode?: number;
    readonly target?: string;
    readonly start?: number;
    readonly end?: number;
  };
  readonly after: string;
}

const JOURNAL = "journal.json";
const BEFORE = "before";

/** The owner of the environment that a landing writes with. */
export const landingOwner = (id: string): string => `landing-${id}`;

/** The prefix of temporary files next to the written files, by the owner of the journal. */
export const temporaryPrefix = (owner: string): string => `.lathe-${owner.replace(/[^\w-]/g, "")}-`;

export function writeJournal(folder: string, owner: string, steps: readonly LandingStep[]): void {
  const contents: Uint8Array[] = [];
  let at = 0;
  const lines = steps.map(({ path, top, before, after }): Line => {
    if (before.kind === "file") contents.push(before.bytes);
    const start = at;
    at += before.kind === "file" ? before.bytes.length : 0;
    const kept =
      before.kind === "file"
        ? { kind: before.kind, mode: before.mode, start, end: at }
        : before.kind === "link"
          ? before
          : { kind: before.kind };
    return { path, top, before: kept, after: signOf(after) };
  });
  writeSynced(join(folder, BEFORE), Buffer.concat(contents));
  writeSynced(join(folder, `${JOURNAL}.new`), Buffer.from(JSON.stringify({ owner, lines })));
  renameSync(join(folder, `${JOURNAL}.new`), join(folder, JOURNAL));
}

/**
 * From here on nothing is undone. `landed`: the folder of the view that has landed, which is marked at the same moment.
 */
export function closeJournal(folder: string, landed?: string): void {
  const journal = join(folder, JOURNAL);
  if (landed === undefined) rmSync(journal, { force: true });
  else renameSync(journal, join(landed, LANDED));
}

/** When the journal was written, in milliseconds; 0 if there is none. */
export const journalTime = (folder: string): number => lstatOf(join(folder, JOURNAL))?.mtimeMs ?? 0;

/** Restores what the landing replaced. Returns the paths that were changed by others since; they stay unchanged. */
export function undoLanding(folder: string): string[] {
  const { owner, lines } = JSON.parse(readFileSync(join(folder, JOURNAL), "utf8")) as { owner: string; lines: Line[] };
  const contents = readFileSync(join(folder, BEFORE));
  // Created files are removed first: one may be in the place of a folder to restore, or in a folder that replaced a
  // file.
  const made = lines.filter(({ before }) => before.kind === "absent");
  const inDoubt = made.filter((line) => !undoLine(line, contents));
  for (const parent of new Set(lines.map(({ path }) => dirname(path)))) removeTemporary(parent, temporaryPrefix(owner));
  for (const { path, top } of made) removeEmptyFolders(dirname(path), top);
  inDoubt.push(...lines.filter((line) => line.before.kind !== "absent" && !undoLine(line, contents)));
  closeJournal(folder);
  return inDoubt.map(({ path }) => path);
}

function undoLine({ path, before, after }: Line, contents: Buffer): boolean {
  const was = foundOf(before, contents);
  const now = signOf(fileAt(path));
  if (now === signOf(was)) return true;
  if (now !== after) return false;
  putAt(path, was);
  return true;
}

function foundOf({ kind, mode = 0o644, target = "", start, end }: Line["before"], contents: Buffer): PathState {
  if (kind === "file") return { kind, mode, bytes: contents.subarray(start, end) };
  return kind === "link" ? { kind, target } : { kind };
}

/** Never follows links. A folder or device cannot come from a landing, so it is treated as foreign. */
export function findAt(path: string): PathState {
  const stat = lstatOf(path);
  if (!stat) return { kind: "absent" };
  if (stat.isSymbolicLink()) return { kind: "link", target: readlinkSync(path) };
  if (!stat.isFile()) return { kind: "link", target: "\0" };
  return { kind: "file", mode: stat.mode & 0o7777, bytes: readFileSync(path) };
}

/** A folder, or anything behind a link, is not a file: the path counts as absent. */
export function fileAt(path: string): PathState {
  const stat = lstatOf(path);
  return !stat || stat.isDirectory() || isBehindLink(path) ? { kind: "absent" } : findAt(path);
}

export function putAt(path: string, wanted: PathState): void {
  const temp = `${path}.lathe-back`;
  rmSync(temp, { force: true });
  if (wanted.kind === "absent") {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  if (wanted.kind === "link") symlinkSync(wanted.target, temp);
  else {
    writeFileSync(temp, wanted.bytes, { mode: 0o600 });
    chmodSync(temp, wanted.mode);
  }
  renameSync(temp, path);
}

/** The files that are as the landing left them. */
export function landedOf(files: readonly LandedFile[]): string[] {
  return files.filter(({ path, sign }) => signOf(findAt(path)) === sign).map(({ path }) => path);
}

export function signOf(found: PathState): string {
  if (found.kind === "absent") return "absent";
  if (found.kind === "link") return `link ${found.target}`;
  const runs = (found.mode & 0o100) === 0 ? "file" : "program";
  return `${runs} ${createHash("sha256").update(found.bytes).digest("hex")}`;
}

function removeTemporary(folder: string, prefix: string): void {
  if (!lstatOf(folder)?.isDirectory()) return;
  for (const name of readdirSync(folder)) if (name.startsWith(prefix)) rmSync(join(folder, name), { force: true });
}

export function removeEmptyFolders(folder: string, top: string): void {
  for (let at = folder; at.startsWith(`${top}/`); at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch (error) {
      // If this folder was never created, or is gone already, its parents may still be removed.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") return;
    }
  }
}

function writeSynced(path: string, bytes: Uint8Array): void {
  const file = openSync(path, "w", 0o600);
  try {
    writeFileSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
