// The in-process search engine: slower than ripgrep, with the same results, over anything that can list and read.

import { dirname, join, relative, resolve } from "node:path/posix";
import { pathError } from "../fs-error.ts";
import type { GlobOptions, GlobResult, GrepOptions, GrepResult } from "../types.ts";
import { withinTime } from "./bounded-match.ts";
import { FirstFiles, hitsPerFile } from "./first-files.ts";
import { compileFilter, compileGlob } from "./path-glob.ts";
import { compilePattern } from "./regex.ts";
import { foldersOf, globResult, shownPath, type TimedPath } from "./results.ts";
import type { SearchFs } from "./search-fs.ts";
import { textMatches } from "./text-matches.ts";
import type { Search } from "./types.ts";
import { walkFiles } from "./walk.ts";

/** A zero byte in the first block makes a file binary; a later one ends the search at its block, as in ripgrep. */
const BLOCK = 1 << 16;
const FILES_PER_BATCH = 64;

export function builtinSearch(fs: SearchFs): Search {
  return {
    grep: (pattern, path, base, options) => grep(fs, pattern, path, base, options),
    glob: (pattern, path, base, options) => glob(fs, pattern, path, base, options),
  };
}

async function grep(
  fs: SearchFs,
  pattern: string,
  path: string,
  base: string,
  options: GrepOptions,
): Promise<GrepResult> {
  const regex = compilePattern(pattern, options);
  const wanted = options.globFilter === undefined ? undefined : compileFilter(options.globFilter);
  const [kind] = await fs.kinds([path]);
  if (kind === undefined) throw pathError("not_found", path);
  const root = kind === "file" ? dirname(path) : path;
  const files = new FirstFiles(options, true);
  const strict = kind === "file" || options.mode === "count";
  const most = options.mode === "count" ? Number.POSITIVE_INFINITY : hitsPerFile(options);
  let batch: string[] = [];
  const searchBatch = async () => {
    const contents = await fs.read(batch);
    withinTime(pattern, () => {
      for (const [i, bytes] of contents.entries()) {
        const text = decode(bytes, strict);
        if (text === undefined) continue;
        const found = textMatches(text, regex, options, most);
        if (found.hits > 0) files.add({ path: relative(root, batch[i]!), ...found });
        if (files.complete) break;
      }
    });
    batch = [];
    await yieldToEventLoop(options.signal);
  };
  for await (const file of kind === "file" ? [path] : walkFiles(fs, path, options)) {
    if (kind !== "file" && wanted !== undefined && !wanted(relative(path, file))) continue;
    if (options.leaveOut?.(file)) continue;
    if (batch.push(file) === FILES_PER_BATCH) await searchBatch();
    if (files.complete) break;
  }
  if (!files.complete) await searchBatch();
  return files.result(root, base);
}

async function glob(
  fs: SearchFs,
  pattern: string,
  path: string,
  base: string,
  options: GlobOptions,
): Promise<GlobResult> {
  const { base: directory, matches } = compileGlob(pattern);
  const root = resolve(path, directory);
  const [kind, rootKind] = await fs.kinds([path, root]);
  if (kind === undefined) throw pathError("not_found", path);
  if (kind !== "directory") throw pathError("not_directory", path);
  if (rootKind !== "directory") return { paths: [], truncated: false };
  const names: string[] = [];
  let isPartial = false;
  for await (const file of walkFiles(fs, root, { hidden: true, ...options })) {
    isPartial = options.enough?.aborted ?? false;
    if (isPartial) break;
    names.push(relative(root, file));
    if (names.length % FILES_PER_BATCH === 0) await yieldToEventLoop(options.signal);
  }
  const found: TimedPath[] = [];
  for (const name of names.filter((one) => matches(one))) {
    found.push({ path: shownPath(join(root, name), base), mtimeMs: await fs.mtimeMs(join(root, name)) });
  }
  const folders = options.directories ? foldersOf(names).filter((one) => matches(one)) : [];
  return globResult(
    found,
    folders.map((name) => shownPath(join(root, name), base)),
    options.maxResults,
    isPartial,
  );
}

/** Yields to timers and input, and throws if aborted. */
async function yieldToEventLoop(signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => setImmediate(resolve));
}

/**
 * Undefined for a binary file. ripgrep treats a file that was named explicitly, or is counted, as binary if it contains
 * any zero byte.
 */
function decode(bytes: Buffer, strict: boolean): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString("utf16le", 2);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) {
    return Buffer.from(bytes.subarray(2, bytes.length & ~1))
      .swap16()
      .toString("utf16le");
  }
  const zero = bytes.indexOf(0);
  if (zero !== -1 && (strict || zero < BLOCK)) return undefined;
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  if (zero === -1) return bytes.toString("utf8", start);
  const end = bytes.lastIndexOf(10, Math.floor(zero / BLOCK) * BLOCK);
  return bytes.toString("utf8", start, end + 1);
}
