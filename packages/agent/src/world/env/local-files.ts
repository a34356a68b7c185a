// File operations on the local disk: atomic writes that keep mode and owner, symlinks followed, errors as EnvError. A
// file with hard links is replaced under one name only, because package managers share files between projects with hard
// links.

import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import * as fs from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { openFile, readSome, readWhole, writeWhole } from "./file-bytes.ts";
import { runnable } from "./file-mode.ts";
import { fromErrno, linkLoop, pathError } from "./fs-error.ts";
import { directoryByPath, type HeldDirectory, holdDirectory } from "./held-directory.ts";
import type { RenameWatches } from "./rename-watch.ts";
import { removeFile, replaceFile } from "./replace-file.ts";
import {
  type ByteRange,
  type DeleteOptions,
  type DirEntry,
  EnvError,
  type FileStat,
  type PathOptions,
  type ReadOptions,
  type WriteOptions,
} from "./types.ts";

/** Number of links after which a chain is treated as a loop, as in Linux. */
const MOST_HOPS = 40;

export async function readBytes(path: string, range?: ByteRange, { ifFile }: ReadOptions = {}): Promise<Buffer> {
  try {
    // Synchronous, like `statFile`. Non-blocking, because opening a pipe without a writer would wait forever.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      if (stat.isDirectory()) throw pathError("is_directory", path);
      if (!stat.isFile()) throw pathError("not_file", path);
      if (ifFile !== undefined && (identityOf(stat) !== ifFile || !isOpenAt(fd, path))) throw replacedError(path);
      if (range === undefined) return await readWhole(fd, stat.size);
      const room = Buffer.alloc(Math.max(0, Math.min(range.end, stat.size) - range.start));
      return room.subarray(0, await readSome(fd, room, range.start));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw fromErrno(error, path);
  }
}

/** Whether the open file is at exactly this path, without links in it. Only Linux can tell. */
function isOpenAt(fd: number, path: string): boolean {
  if (process.platform !== "linux") return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;
  return readlinkSync(`/proc/self/fd/${fd}`) === path;
}

const replacedError = (path: string): EnvError =>
  new EnvError("changed", `${path} was replaced by another file just now. Read it again.`, { path });

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  tempName: string,
  options: WriteOptions,
  watches: RenameWatches,
): Promise<void> {
  try {
    const target = options.noLinks ? path : await finalTarget(path);
    const folder = options.noLinks ? await holdDirectory(dirname(target)) : await directoryByPath(dirname(target));
    try {
      await replace(path, folder, basename(target), content, tempName, options, watches);
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw fromErrno(error, path);
  }
}

async function replace(
  path: string,
  folder: HeldDirectory,
  name: string,
  content: string | Uint8Array,
  tempName: string,
  options: WriteOptions,
  watches: RenameWatches,
): Promise<void> {
  const target = folder.entry(name);
  const old = lstatSync(target, { throwIfNoEntry: false });
  if (old?.isDirectory()) throw pathError("is_directory", path);
  // The path was a real path when it was checked.
  if (old?.isSymbolicLink()) throw pathError("changed", path);
  // A device must not be replaced by a file.
  if (old !== undefined && !old.isFile()) throw pathError("not_file", path);
  if (old !== undefined) accessSync(target, constants.W_OK);
  const temp = folder.entry(tempName);
  try {
    // A file that only its owner may read must never be readable under another name, not even briefly.
    const restricted = old !== undefined || options.mode !== undefined;
    const fd = await openFile(temp, "wx", restricted ? 0o600 : 0o666);
    try {
      await writeWhole(fd, content);
      const mode = options.mode ?? old?.mode ?? fstatSync(fd).mode;
      if (old !== undefined && (old.uid !== process.geteuid?.() || old.gid !== process.getegid?.())) {
        fchownSync(fd, old.uid, old.gid);
      }
      if (restricted || options.executable) fchmodSync(fd, (options.executable ? runnable(mode) : mode) & 0o7777);
    } finally {
      // Before the rename, because a program that is open for writing cannot be run.
      closeSync(fd);
    }
    await putInPlace({ path, temp, target, folder }, options, watches);
  } catch (error) {
    await fs.rm(temp, { force: true });
    if (old === undefined || !needsWriteInPlace(error)) throw error;
    await writeInPlace(target, content, old.mode, options);
  }
}

async function putInPlace(
  { path, temp, target, folder }: { path: string; temp: string; target: string; folder: HeldDirectory },
  { ifVersion, ifContent }: WriteOptions,
  watches: RenameWatches,
): Promise<void> {
  const lastCheck = (): void => {
    refuseChanged(path, target, ifVersion);
    folder.stillThere();
  };
  if (ifVersion === undefined || (ifVersion !== "absent" && ifContent === undefined)) {
    lastCheck();
    return fs.rename(temp, target);
  }
  const { isDone, overwrote } = await replaceFile({ temp, target, content: ifContent, lastCheck }, watches);
  if (isDone && overwrote) throw pathError("overwrote", path);
  if (isDone) return;
  const changed = pathError("changed", path);
  throw overwrote ? new EnvError("changed", `${changed.message} A version of it was overwritten.`, { path }) : changed;
}

/** Checks at the last moment, so that a concurrent write of another process is not overwritten unnoticed. */
function refuseChanged(path: string, target: string, ifVersion: string | undefined): void {
  if (ifVersion === undefined) return;
  const now = statSync(target, { throwIfNoEntry: false });
  if ((now === undefined ? "absent" : versionOf(now)) !== ifVersion) throw pathError("changed", path);
}

function versionOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

async function writeInPlace(
  target: string,
  content: string | Uint8Array,
  oldMode: number,
  options: WriteOptions,
): Promise<void> {
  await fs.writeFile(target, content, { flag: constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW });
  const mode = options.mode ?? oldMode;
  const wanted = (options.executable ? runnable(mode) : mode) & 0o7777;
  if (wanted !== (oldMode & 0o7777)) await fs.chmod(target, wanted);
}

/** A writable file cannot be replaced if its directory is not ours, it is bind-mounted, or another user owns it. */
function needsWriteInPlace(error: unknown): boolean {
  return ["EACCES", "EPERM", "EBUSY", "EXDEV"].includes((error as NodeJS.ErrnoException).code ?? "");
}

/** Real path of the deepest part that exists, with the rest appended; dangling links are followed too. */
export async function realOrNearest(path: string, hops = MOST_HOPS): Promise<string> {
  const real = await fs.realpath(path).catch(() => undefined);
  if (real !== undefined) return real;
  if (hops === 0) throw linkLoop(path);
  const link = await fs.readlink(path).catch(() => undefined);
  if (link !== undefined) return realOrNearest(resolve(dirname(path), link), hops - 1);
  const parent = dirname(path);
  return parent === path ? path : resolve(await realOrNearest(parent, hops), relative(parent, path));
}

/** The real target of a write: the end of a chain of symlinks, even if it does not exist yet. */
async function finalTarget(path: string): Promise<string> {
  let current = path;
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    // The usual case: this check takes microseconds, and an error of readlink many times that.
    if (lstatSync(current, { throwIfNoEntry: false })?.isFile()) return current;
    const link = await fs.readlink(current).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EINVAL" || error.code === "ENOENT") return undefined;
      throw error;
    });
    if (link === undefined) return current;
    current = link.startsWith("/") ? link : join(dirname(current), link);
  }
  throw linkLoop(path);
}

export async function deleteFile(path: string, tempName: string, { noLinks, ifContent }: DeleteOptions): Promise<void> {
  try {
    if ((await fs.lstat(path)).isDirectory()) throw pathError("is_directory", path);
    await inFolderOf(path, noLinks, async (entry, folder) => {
      if (ifContent === undefined) return fs.unlink(entry);
      if (!removeFile(entry, folder.entry(tempName), ifContent)) throw pathError("changed", path);
    });
  } catch (error) {
    throw fromErrno(error, path);
  }
}

export async function moveFile(from: string, to: string, tempName: string, { noLinks }: PathOptions): Promise<void> {
  try {
    await fs.lstat(from);
  } catch (error) {
    throw fromErrno(error, from);
  }
  try {
    await inFolderOf(from, noLinks, (source) =>
      inFolderOf(to, noLinks, async (target, folder) => {
        await fs.rename(source, target).catch(async (error: NodeJS.ErrnoException) => {
          if (error.code !== "EXDEV") throw error;
          const temp = folder.entry(tempName);
          await fs.cp(source, temp, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
          await fs.rename(temp, target);
          await fs.rm(source, { recursive: true });
        });
      }),
    );
  } catch (error) {
    throw fromErrno(error, to);
  }
}

async function inFolderOf(
  path: string,
  noLinks: boolean | undefined,
  work: (entry: string, folder: HeldDirectory) => Promise<void>,
): Promise<void> {
  const folder = noLinks ? await holdDirectory(dirname(path)) : await directoryByPath(dirname(path));
  try {
    folder.stillThere();
    await work(folder.entry(basename(path)), folder);
  } finally {
    await folder.close();
  }
}

/**
 * Synchronous, because it takes microseconds and the thread pool many times that. Otherwise startup would also pay for
 * the thread pool and node:fs/promises before the first request.
 */
export async function statFile(path: string): Promise<FileStat | undefined> {
  try {
    const link = lstatSync(path, { throwIfNoEntry: false });
    if (link === undefined) return undefined;
    const isSymlink = link.isSymbolicLink();
    const target = isSymlink ? statTarget(path) : link;
    if (target === undefined) {
      const { mtimeMs } = link;
      // A circular link resolves only to itself.
      const realPath = await realOrNearest(path).catch(() => path);
      return { kind: "dangling", size: 0, mtimeMs, mode: 0o777, realPath, isSymlink };
    }
    return {
      kind: target.isFile() ? "file" : target.isDirectory() ? "directory" : "other",
      size: target.size,
      mtimeMs: target.mtimeMs,
      mode: target.mode & 0o7777,
      realPath: realpathSync.native(path),
      isSymlink,
      version: versionOf(target),
      file: identityOf(target),
    };
  } catch (error) {
    // A file with a name that is too long cannot exist.
    if (absentCode(error) || (error as NodeJS.ErrnoException).code === "ENAMETOOLONG") return undefined;
    throw fromErrno(error, path);
  }
}

/** Undefined if the link is dangling or circular. */
function statTarget(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return absent(error);
  }
}

/**
 * Sorted by name, each directory followed by its content. Symlinks are listed but not entered; unreadable directories
 * are not entered either.
 */
export async function listDirectory(path: string, depth: number): Promise<DirEntry[]> {
  const result: DirEntry[] = [];
  const walk = async (directory: string, prefix: string, left: number): Promise<void> => {
    const entries = await fs.readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
      if (directory === path || !isSkippable(error)) throw error;
      return [];
    });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const stats = await Promise.all(entries.map((entry) => statOrNothing(join(directory, entry.name))));
    for (const [index, entry] of entries.entries()) {
      const name = prefix + entry.name;
      const changed = {
        ...(stats[index] && { mtimeMs: stats[index].mtimeMs }),
        ...(entry.isSymbolicLink() && { isLink: true as const }),
      };
      if (entry.isDirectory()) {
        result.push({ name, isDir: true, ...changed });
        if (left > 1) await walk(join(directory, entry.name), `${name}/`, left - 1);
        continue;
      }
      const stat = stats[index];
      if (stat?.isDirectory()) result.push({ name, isDir: true, ...changed });
      else
        result.push(
          stat === undefined ? { name, isDir: false, ...changed } : { name, isDir: false, size: stat.size, ...changed },
        );
    }
  };
  try {
    await walk(path, "", depth);
    return result;
  } catch (error) {
    throw fromErrno(error, path);
  }
}

function absent(error: unknown): undefined {
  if (absentCode(error)) return undefined;
  throw error;
}

async function statOrNothing(path: string): Promise<Stats | undefined> {
  return fs.stat(path).catch((error: unknown) => {
    if (!isSkippable(error)) throw error;
    return undefined;
  });
}

/** Deleted meanwhile, or not readable by us: the rest of the listing is still valid. */
function isSkippable(error: unknown): boolean {
  return absentCode(error) || ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "");
}

function absentCode(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "");
}
