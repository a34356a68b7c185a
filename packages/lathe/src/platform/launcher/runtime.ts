// Runs units from packs; see scripts/bundle. It is part of the start pack and uses only Node's own modules.

import { onFirstRequest } from "./first-request.ts";
import { type LoadedScript, loadScript } from "./load-script.ts";
import { writeCaches } from "./write-caches.ts";

export type Exports = Record<string, unknown>;

interface UnitModule {
  exports: Exports;
}

/** One source file, text or package of the command. */
type Unit = (
  module: UnitModule,
  unit: (id: number | string) => Exports,
  later: (id: number | string) => Promise<Exports>,
  fileUrl: string,
) => void;

type Units = (id: number) => Unit | undefined;

/** The value of the start pack's script: this file as a CommonJS module, and its units. */
export type StartPack = readonly [(module: { exports: object }, require: NodeJS.Require) => void, Units];

interface Folders {
  /** All three paths end with a slash. */
  readonly packs: string;
  readonly cacheRoot: string;
  /** The folder of code caches below the packs. */
  readonly caches: string;
}

type Start = LoadedScript & { readonly name: string; readonly units: Units };

/** The state of loading. */
interface Progress {
  /** The main file of the command. */
  readonly main: Exports;
  readonly scripts: Map<string, LoadedScript["script"]>;
  /** Whether a pack had no compiled code. */
  isFresh: boolean;
  /** Number of units of the start pack that were used. */
  usedUnits: number;
  loadPack(pack: string): void;
}

/** A model takes longer than this to answer, so we load what the answer needs in the meantime. */
const THINKING_MS = 50;

/** `isRun` means that this is not a subcommand: the packs loaded before the first request are worth caching. */
export function runCommand(start: Start, folders: Folders & { readonly isRun: boolean }): void {
  const { name, knownUnits } = start;
  const { cacheRoot, caches, isRun } = folders;
  const progress = mainUnit(start, folders);
  const { scripts } = progress;
  // The next start wants everything compiled that runs before the first request; loading more would only cost it time.
  // A run without a request leaves the start pack's cache to a run that makes one.
  const capture = (wanted: typeof scripts): void => {
    if (progress.isFresh) writeCaches(cacheRoot, caches, wanted, progress.usedUnits);
    progress.isFresh = false;
  };
  onFirstRequest(() => {
    // A start inside a repository uses more units than one outside: what it had to compile is added to the cache.
    if (progress.usedUnits > knownUnits) progress.isFresh = true;
    capture(scripts);
    setTimeout(() => {
      if (!scripts.has(LATHE_ANSWER_PACK)) progress.loadPack(LATHE_ANSWER_PACK);
      // The first event is recorded under a hash, and a request without TLS has not loaded this module.
      process.getBuiltinModule("node:crypto");
    }, THINKING_MS).unref();
  });
  process.on("exit", () => capture(isRun ? new Map([...scripts].filter(([pack]) => pack !== name)) : scripts));
  const { main } = progress.main as { main: () => Promise<void> };
  void main();
}

/** Runs the main file and whatever it needs at once. Everything else is loaded when it is first used. */
export function mainUnit({ name, units, script, fresh }: Start, { packs, caches }: Folders): Progress {
  const packUrl = `file://${encodeURI(packs).replace(/[?#]/g, encodeURIComponent)}`;
  // The array is allocated in full: filling it from a high index would turn it into a slow table.
  const loaded = new Array<UnitModule | undefined>(LATHE_UNIT_COUNT);
  const ofNode: Record<string, Exports> = Object.create(null);
  const scripts = new Map([[name, script]]);
  const others: Units[] = [];
  const progress = { main: {}, scripts, isFresh: fresh, usedUnits: 0, loadPack };

  function loadPack(pack: string): void {
    const more = loadScript(packs + pack, `${caches}${pack}.bin`);
    if (more.fresh) progress.isFresh = true;
    scripts.set(pack, more.script);
    others.push(more.script.runInThisContext() as Units);
  }

  /** The exports of a unit, which runs when they are first needed. */
  function unit(id: number | string): Exports {
    if (typeof id === "string") {
      ofNode[id] ??= nodeModule(id, packs);
      return ofNode[id];
    }
    const known = loaded[id];
    if (known) return known.exports;
    const module: UnitModule = { exports: {} };
    // This comes before the unit runs, because units may need each other.
    loaded[id] = module;
    try {
      const early = units(id);
      if (early) progress.usedUnits++;
      (early ?? unitOf(id))(module, unit, later, packUrl);
    } catch (error) {
      loaded[id] = undefined; // the next caller gets the same error, not half a unit
      throw error;
    }
    return module.exports;
  }

  function unitOf(id: number): Unit {
    for (const pack of others) {
      const found = pack(id);
      if (found) return found;
    }
    const next = [LATHE_PACKS[id], ...LATHE_FALLBACK_PACKS].find((pack) => pack !== undefined && !scripts.has(pack));
    if (next === undefined) throw new Error(`unit ${id} is in none of the packs that are loaded`);
    loadPack(next);
    return unitOf(id);
  }

  async function later(id: number | string): Promise<Exports> {
    if (typeof id === "string") return id.startsWith("node:") ? unit(id) : withNames(unit(id));
    const pack = LATHE_PACKS[id];
    if (pack !== undefined && !scripts.has(pack)) loadPack(pack);
    return unit(id);
  }

  progress.main = unit(LATHE_MAIN);
  return progress;
}

// Node's own require takes twenty steps to look up a builtin, and there are dozens of lookups before the first request.
function nodeModule(name: string, from: string): Exports {
  const builtin = process.getBuiltinModule(name);
  return (builtin as Exports | undefined) ?? process.getBuiltinModule("node:module").createRequire(from)(name);
}

/** A CommonJS package behind `import()` has its names next to its default, as in Node. */
function withNames(exported: Exports): Exports {
  return exported["__esModule"] ? exported : { ...exported, default: exported };
}
