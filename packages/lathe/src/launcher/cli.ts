// dist/cli.js: answers --version at once, and otherwise loads the chunks of the command, each from a V8 code cache when one
// fits. Plain CommonJS with node's own modules only, since everything here is paid on every start.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { cacheFolder, readCache, writeCaches } from "./code-cache.ts";

interface ChunkModule {
  exports: Record<string, unknown>;
}

const chunkFolder = join(__dirname, "chunks");
const folder = cacheFolder(process.env, LATHE_VERSION, process.version, process.arch);
const loaded = new Map<string, ChunkModule>();
const scripts = new Map<string, Script>();
let fresh = false;

function load(file: string): ChunkModule {
  const known = loaded.get(file);
  if (known) return known;
  const module: ChunkModule = { exports: {} };
  loaded.set(file, module);
  const cachedData = readCache(folder, file, chunkFolder);
  const source = readFileSync(file, "utf8");
  const script = new Script(`(function(exports,require,module,__filename,__dirname,__chunkUrl){${source}\n})`, {
    filename: file,
    ...(cachedData ? { cachedData } : {}),
  });
  if (!cachedData || script.cachedDataRejected) fresh = true;
  scripts.set(file, script);
  const nodeRequire = createRequire(file);
  const require = (name: string): unknown =>
    name.startsWith("./") ? load(join(dirname(file), name)).exports : nodeRequire(name);
  script.runInThisContext()(module.exports, require, module, file, dirname(file), pathToFileURL(file).href);
  return module;
}

if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-v")) {
  process.stdout.write(`${LATHE_VERSION}\n`);
} else {
  process.once("exit", () => {
    if (fresh) writeCaches(folder, scripts, chunkFolder);
  });
  const { main } = load(join(chunkFolder, LATHE_MAIN_CHUNK)).exports as { main: () => Promise<void> };
  void main();
}
