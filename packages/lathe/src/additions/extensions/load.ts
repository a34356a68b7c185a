// Loads a user's TypeScript or JavaScript file into this process. Neither this code nor the compiler is loaded before
// the user has such a file.

import { mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { createRequire, Module } from "node:module";
import { dirname } from "node:path";
import type { Jiti } from "jiti";
import { describeLoadFailure, ExtensionError } from "./errors.ts";
import { type Libraries, runningLibraries } from "./libraries.ts";

/** The limit for a file with a top-level await. */
const DEADLINE_MS = 30_000;

export interface LoadOptions {
  /** The folder for compiled files. A process that can write to it can run code as the user. */
  readonly cacheFolder: string;
  readonly deadlineMs?: number;
  /** Runs the file's own code so that it counts as the file's; everything else here counts as ours. */
  readonly run?: <T>(work: () => T) => T;
}

/** The exports of a file, which include `default`. Throws an ExtensionError of one line. */
export async function loadExtension(
  path: string,
  { cacheFolder, deadlineMs = DEADLINE_MS, run: runIn = (work) => work() }: LoadOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new ExtensionError(path, `There is no file ${path}.`);
  if (!found.isFile()) throw new ExtensionError(path, `${path} is not a file: name the file to load.`);
  const file = realpathSync(path);
  forget(dirname(file));
  const libraries = await runningLibraries();
  giveToRequire(libraries);
  const jiti = await compiler(file, libraries, cacheFolder);
  compileAhead(jiti, file);
  const exports = await run(jiti, file, deadlineMs, runIn);
  if (typeof exports === "function") return { default: exports, ...exports }; // module.exports = function …
  if (typeof exports === "object" && exports !== null && Object.hasOwn(exports, "default"))
    return exports as Record<string, unknown>;
  throw new ExtensionError(file, `${file} has no default export: add "export default …".`);
}

/** Drops the file's own modules from the cache, because they may have changed since they were loaded. */
function forget(folder: string): void {
  const { cache } = createRequire(import.meta.url);
  for (const path of Object.keys(cache))
    if (path.startsWith(`${folder}/`) && !path.slice(folder.length).includes("/node_modules/")) delete cache[path];
}

async function compiler(file: string, libraries: Libraries, cacheFolder: string): Promise<Jiti> {
  const { createJiti } = await import("jiti");
  mkdirSync(cacheFolder, { recursive: true, mode: 0o700 });
  return createJiti(file, {
    virtualModules: libraries,
    fsCache: cacheFolder,
    // Everything that the compiler would otherwise take from environment variables.
    alias: {},
    debug: false,
    esmEvalTempFile: false,
    interopDefault: true,
    jsx: false,
    moduleCache: true,
    nativeModules: [],
    rebuildFsCache: false,
    sourceMaps: false,
    transformModules: [],
    tryNative: false,
    tsconfigPaths: false,
  });
}

/** Compiles before the file's own code runs, because compiling takes long; the result is cached. */
function compileAhead(jiti: Jiti, file: string): void {
  try {
    jiti.transform({
      filename: file,
      source: readFileSync(file, "utf8"),
      ts: /\.[cm]?ts$/.test(file),
      async: false,
      jsx: false,
    });
  } catch {
    // Errors in the file are reported when it runs.
  }
}

/**
 * Loads the file like `require`, because then all modules of the file's own are compiled here and get the running
 * libraries; `import` would leave .mjs files to node, which finds whatever copy is installed next to them. Only
 * `import` supports top-level await, though.
 */
async function run(
  jiti: Jiti,
  file: string,
  deadlineMs: number,
  runIn: NonNullable<LoadOptions["run"]>,
): Promise<unknown> {
  try {
    return runIn(() => jiti(file));
  } catch (error) {
    if (!waitsAtTopLevel(error)) throw describeLoadFailure(file, error);
  }
  const late = Symbol("late");
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => resolve(late), deadlineMs);
  });
  try {
    const exports = await Promise.race([runIn(() => jiti.import(file)), deadline]);
    if (exports !== late) return exports;
  } catch (error) {
    throw describeLoadFailure(file, error);
  } finally {
    clearTimeout(timer);
  }
  throw new ExtensionError(
    file,
    `${file} was still loading after ${deadlineMs / 1000} s: an "await" outside of a function has not ended.`,
  );
}

const waitsAtTopLevel = (error: unknown): boolean =>
  error instanceof SyntaxError && error.message.startsWith("await is only valid");

interface ModuleLoader {
  _load(request: string, ...rest: unknown[]): unknown;
}

let requireAsksUs = false;

/** Node loads CommonJS files itself; this makes their `require` return our libraries. */
function giveToRequire(libraries: Libraries): void {
  if (requireAsksUs) return;
  requireAsksUs = true;
  const loader = Module as unknown as ModuleLoader;
  const load = loader._load;
  loader._load = (request, ...rest) =>
    Object.hasOwn(libraries, request) ? libraries[request] : load.call(loader, request, ...rest);
}
