// dist/cli.js: answers --version at once, and otherwise loads the chunks of the command, each from a V8 code cache when one
// fits. Plain CommonJS with node's own modules only, since everything here is paid on every start.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { SUBCOMMANDS } from "../cli/option-table.ts";
import { cacheFolder, FIRST_REQUEST, readCache, writeCaches } from "./code-cache.ts";

interface ChunkModule {
  exports: Record<string, unknown>;
}

type ChunkBody = (
  exports: object,
  require: (name: string) => unknown,
  module: ChunkModule,
  file: string,
  folder: string,
  url: string,
) => void;

const chunkFolder = join(__dirname, "chunks");
const folder = cacheFolder(process.env, LATHE_VERSION, process.version, process.arch);
const loaded = new Map<string, ChunkModule>();
const scripts = new Map<string, Script>();
let fresh = false;
/** Only a run wants it; a subcommand loads the few chunks it needs. */
let pack: Record<string, ChunkBody> | undefined;

/** The build sees to it that chunks are plain ASCII, which is read fastest as latin1 and kept in half the memory. */
function compile(file: string, before: string, after: string): unknown {
  const path = join(chunkFolder, file);
  const cachedData = readCache(folder, file);
  const script = new Script(before + readFileSync(path, "latin1") + after, {
    filename: path,
    ...(cachedData ? { cachedData } : {}),
  });
  if (!cachedData || script.cachedDataRejected) fresh = true;
  scripts.set(file, script);
  return script.runInThisContext();
}

function load(file: string): ChunkModule {
  const known = loaded.get(file);
  if (known) return known;
  const module: ChunkModule = { exports: {} };
  loaded.set(file, module);
  const body =
    pack?.[file] ??
    (compile(file, "(function(exports,require,module,__filename,__dirname,__chunkUrl){", "\n})") as ChunkBody);
  const path = join(chunkFolder, file);
  let nodeRequire: NodeJS.Require | undefined;
  const require = (name: string): unknown => {
    if (name.startsWith("./")) return load(name.slice(2)).exports;
    // Node's own require looks a builtin up in twenty steps; there are dozens of them on the way to the first request.
    if (name.startsWith("node:")) return process.getBuiltinModule(name);
    nodeRequire ??= createRequire(path);
    return nodeRequire(name);
  };
  body(module.exports, require, module, path, chunkFolder, fileUrl(path));
  nameExports(module);
  return module;
}

const fileUrl = (path: string): string => `file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`;

/** A CommonJS package behind `import()` comes as a lone default export; its names belong beside it, as node would have them. */
function nameExports(module: ChunkModule): void {
  const names = Object.keys(module.exports);
  const only = module.exports["default"];
  if (names.length !== 1 || only === null || (typeof only !== "object" && typeof only !== "function")) return;
  module.exports = Object.assign(Object.defineProperty({}, "__esModule", { value: true }), only, { default: only });
}

if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-v")) {
  process.stdout.write(`${LATHE_VERSION}\n`);
} else {
  // What runs up to the first request is what the next start wants compiled; more would only cost it time to load.
  const capture = (): void => {
    if (fresh) writeCaches(folder, scripts);
    fresh = false;
  };
  (process as NodeJS.EventEmitter).once(FIRST_REQUEST, capture);
  process.once("exit", capture);
  if (!Object.hasOwn(SUBCOMMANDS, process.argv[2] ?? "")) pack = compile(LATHE_START_PACK, "", "") as typeof pack;
  const { main } = load(LATHE_MAIN_CHUNK).exports as { main: () => Promise<void> };
  void main();
}
