// dist/cli.js: answers --version at once, and otherwise runs the command out of its packs, each from a V8 code cache when one
// fits. Plain CommonJS with node's own modules only, since everything here is paid on every start.

import { readFileSync } from "node:fs";
import { Script } from "node:vm";
import { SUBCOMMANDS } from "../cli/option-table.ts";
import { cacheFolder, FIRST_REQUEST, readCache, writeCaches } from "./code-cache.ts";

type Exports = Record<string, unknown>;

interface UnitModule {
  exports: Exports;
}

/** One source file, text or package of the command; see scripts/bundle. */
type Unit = (
  module: UnitModule,
  unit: (id: number | string) => Exports,
  later: (id: number | string) => Promise<Exports>,
  fileUrl: string,
) => void;

type Pack = (id: number) => Unit | undefined;

const packFolder = `${__dirname}/packs/`;
const packUrl = `file://${encodeURI(packFolder).replace(/[?#]/g, encodeURIComponent)}`;
const command = process.argv[2] ?? "";
const isRun = !Object.hasOwn(SUBCOMMANDS, command);
/** A subcommand has caches of its own: of the start pack it uses little, and taking in what a run uses costs it time. */
const folder = cacheFolder(process.env, LATHE_VERSION, process.version, process.arch) + (isRun ? "" : `${command}/`);
const packs: Pack[] = [];
const loaded: Record<number | string, UnitModule> = Object.create(null);
const scripts = new Map<string, Script>();
let fresh = false;

/** The build sees to it that packs are plain ASCII, which is read fastest as latin1 and kept in half the memory. */
function loadPack(file: string): void {
  const path = packFolder + file;
  const cachedData = readCache(folder, file);
  const script = new Script(readFileSync(path, "latin1"), { filename: path, ...(cachedData ? { cachedData } : {}) });
  if (!cachedData || script.cachedDataRejected) fresh = true;
  scripts.set(file, script);
  packs.push(script.runInThisContext() as Pack);
}

/** What a unit exports. It runs when it is first asked for. */
function unit(id: number | string): Exports {
  const known = loaded[id];
  if (known) return known.exports;
  const module: UnitModule = { exports: {} };
  // Before it runs: units may need each other.
  loaded[id] = module;
  try {
    if (typeof id === "string") module.exports = ofNode(id);
    else unitOf(id)(module, unit, later, packUrl);
  } catch (error) {
    delete loaded[id]; // whoever asks next gets the same error, not half a unit
    throw error;
  }
  return module.exports;
}

function unitOf(id: number): Unit {
  for (const pack of packs) {
    const found = pack(id);
    if (found) return found;
  }
  if (scripts.has(LATHE_REST_PACK)) throw new Error(`unit ${id} is in none of the packs that are loaded`);
  loadPack(LATHE_REST_PACK);
  return unitOf(id);
}

async function later(id: number | string): Promise<Exports> {
  if (typeof id === "string") return id.startsWith("node:") ? unit(id) : withNames(unit(id));
  const pack = LATHE_PACKS[id];
  if (pack !== undefined && !scripts.has(pack)) loadPack(pack);
  return unit(id);
}

// Node's own require looks a builtin up in twenty steps; there are dozens of them on the way to the first request.
function ofNode(name: string): Exports {
  const builtin = process.getBuiltinModule(name);
  return (builtin as Exports | undefined) ?? process.getBuiltinModule("node:module").createRequire(__filename)(name);
}

/** A CommonJS package behind `import()` has its names beside its default, as node would have them. */
function withNames(exported: Exports): Exports {
  return exported["__esModule"] ? exported : { ...exported, default: exported };
}

if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-v")) {
  process.stdout.write(`${LATHE_VERSION}\n`);
} else {
  // What runs up to the first request is what the next start wants compiled; more would only cost it time to load. A
  // run that makes none leaves the start pack to one that does.
  const capture = (wanted: typeof scripts): void => {
    if (fresh) writeCaches(folder, wanted);
    fresh = false;
  };
  (process as NodeJS.EventEmitter).once(FIRST_REQUEST, () => capture(scripts));
  process.once("exit", () =>
    capture(isRun ? new Map([...scripts].filter(([name]) => name !== LATHE_START_PACK)) : scripts),
  );
  loadPack(LATHE_START_PACK);
  const { main } = unit(LATHE_MAIN) as { main: () => Promise<void> };
  void main();
}
