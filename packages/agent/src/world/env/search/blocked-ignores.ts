// A pipe in the place of an ignore file: ripgrep waits for it for ever. It is looked for where ripgrep looks, at once in the
// directories above and in the whole tree when a search takes long; the built-in engine, which passes it over, then does the work.

import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Search } from "./types.ts";

const NAMES = [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"];
const LOOK_AFTER_MS = 1000;
const DIRECTORIES_PER_BREATH = 200;

type Options = { readonly signal?: AbortSignal | undefined };

/** The first engine's answer, or the second's when the first does not finish. */
export function unlessBlocked(ripgrep: Search, builtin: Search, onDisk: (path: string) => string): Search {
  const search = async <Result>(
    path: string,
    options: Options,
    work: (engine: Search, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const outer = options.signal ?? new AbortController().signal;
    if (blockedAbove(onDisk(path))) return work(builtin, outer);
    const stop = new AbortController();
    let isBlocked = false;
    const look = setTimeout(async () => {
      isBlocked = await blockedBelow(onDisk(path), stop.signal);
      if (isBlocked) stop.abort();
    }, LOOK_AFTER_MS);
    try {
      return await work(ripgrep, AbortSignal.any([outer, stop.signal]));
    } catch (error) {
      if (!isBlocked || outer.aborted) throw error;
      return await work(builtin, outer);
    } finally {
      clearTimeout(look);
      // The caller no longer waits for the result.
      stop.abort();
    }
  };
  return {
    grep: (pattern, path, base, options) =>
      search(path, options, (engine, signal) => engine.grep(pattern, path, base, { ...options, signal })),
    glob: (pattern, path, base, options) =>
      search(path, options, (engine, signal) => engine.glob(pattern, path, base, { ...options, signal })),
  };
}

function blockedAbove(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (hasPipe(at)) return true;
    if (at === dirname(at)) return false;
  }
}

async function blockedBelow(root: string, signal: AbortSignal): Promise<boolean> {
  const waiting = [root];
  for (let seen = 1; waiting.length > 0 && !signal.aborted; seen++) {
    const directory = waiting.pop()!;
    if (hasPipe(directory)) return true;
    for (const entry of entriesOf(directory)) if (entry.isDirectory()) waiting.push(join(directory, entry.name));
    if (seen % DIRECTORIES_PER_BREATH === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return false;
}

function hasPipe(directory: string): boolean {
  return NAMES.some((name) => {
    try {
      const stat = statSync(join(directory, name), { throwIfNoEntry: false });
      return stat !== undefined && !stat.isFile() && !stat.isDirectory();
    } catch {
      return false; // a circular link, or a directory that we may not enter
    }
  });
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return []; // deleted, not a directory, or not readable for us
  }
}
