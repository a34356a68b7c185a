// The in-process search engine: slower than ripgrep, with the same answers, over anything that can list and read.

import { dirname, relative, resolve } from "node:path/posix";
import { pathError } from "../fs-error.ts";
import type { GlobOptions, GlobResult, GrepOptions, GrepResult } from "../types.ts";
import { withinTime } from "./bounded-match.ts";
import { FirstFiles } from "./first-files.ts";
import { compileFilter, compileGlob } from "./path-glob.ts";
import { compilePattern } from "./regex.ts";
import { isLong, type MatchLine, newestFirst, shownPath, type TimedPath } from "./results.ts";
import { DEFAULT_GREP_RESULTS, type Search } from "./types.ts";
import { type SearchFs, walkFiles } from "./walk.ts";

/** A zero byte in the first block makes a file binary; a later one ends the search at its block, as ripgrep does. */
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
  const regex = compilePattern(pattern, options.caseInsensitive ?? false);
  const wanted = options.globFilter === undefined ? undefined : compileFilter(options.globFilter);
  const [kind] = await fs.kinds([path]);
  if (kind === undefined) throw pathError("not_found", path);
  const mode = options.mode ?? "content";
  const context = options.context ?? 0;
  const root = kind === "file" ? dirname(path) : path;
  const files = new FirstFiles(options.maxResults ?? DEFAULT_GREP_RESULTS, mode, true);
  const strict = kind === "file" || mode === "count";
  let batch: string[] = [];
  const searchBatch = async () => {
    const contents = await fs.read(batch);
    withinTime(pattern, () => {
      for (const [i, bytes] of contents.entries()) {
        const found = searchText(decode(bytes, strict), regex, context);
        if (found.hits > 0) files.add({ path: relative(root, batch[i]!), ...found });
        if (files.complete) break;
      }
    });
    batch = [];
    await breath(options.signal);
  };
  for await (const file of kind === "file" ? [path] : walkFiles(fs, path, false)) {
    if (kind !== "file" && wanted !== undefined && !wanted(relative(path, file))) continue;
    if (options.leaveOut?.(file)) continue;
    if (batch.push(file) === FILES_PER_BATCH) await searchBatch();
    if (files.complete) break;
  }
  if (!files.complete) await searchBatch();
  return files.result(root, base, context);
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
  const found: TimedPath[] = [];
  if (rootKind === "directory") {
    let seen = 0;
    for await (const file of walkFiles(fs, root, true)) {
      if (++seen % FILES_PER_BATCH === 0) await breath(options.signal);
      if (matches(relative(root, file))) found.push({ path: shownPath(file, base), mtimeMs: await fs.mtimeMs(file) });
    }
  }
  return newestFirst(found, options.maxResults);
}

/** Lets timers and input through, and notices an abort. */
async function breath(signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => setImmediate(resolve));
}

function searchText(text: string | undefined, regex: RegExp, context: number): { hits: number; lines: MatchLine[] } {
  if (text === undefined) return { hits: 0, lines: [] };
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  const matching: number[] = [];
  for (let i = 0; i < all.length; i++) {
    const line = all[i]!.endsWith("\r") ? all[i]!.slice(0, -1) : all[i]!;
    all[i] = line;
    if (regex.test(line)) matching.push(i);
  }
  const lines: MatchLine[] = [];
  let next = 0;
  for (const [k, at] of matching.entries()) {
    for (let i = Math.max(next, at - context); i < at; i++)
      lines.push({ number: i + 1, text: all[i]!, isMatch: false });
    const where = isLong(all[at]!) ? { at: all[at]!.search(regex) } : {};
    lines.push({ number: at + 1, text: all[at]!, isMatch: true, ...where });
    next = Math.min(at + 1 + context, matching[k + 1] ?? all.length, all.length);
    for (let i = at + 1; i < next; i++) lines.push({ number: i + 1, text: all[i]!, isMatch: false });
    next = Math.max(next, at + 1);
  }
  return { hits: matching.length, lines };
}

/** Undefined for a binary file. To ripgrep, a file that was named itself or is counted is binary with any zero byte. */
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
