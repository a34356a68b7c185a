// Runs units out of packs; see scripts/bundle. It is part of the start pack and uses node's own modules only.

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

/** What the script of the start pack gives: this file as a CommonJS module, and its units. */
export type StartPack = readonly [(module: { exports: object }, require: NodeJS.Require) => void, Units];

interface Folders {
  /** All end with a slash. */
  readonly packs: string;
  readonly cacheRoot: string;
  /** The folder of code caches below the packs. */
  readonly caches: string;
}

type Start = LoadedScript & { readonly name: string; readonly units: Units };

/** What is loaded so far. */
interface Progress {
  /** The main file of the command. */
  readonly main: Exports;
  readonly scripts: Map<string, LoadedScript["script"]>;
  /** A pack had no compiled code. */
  isFresh: boolean;
  /** Of the start pack. */
  usedUnits: number;
  loadPack(pack: string): void;
}

/** A model takes longer than this to answer, so what the answer needs is loaded meanwhile. */
const THINKING_MS = 50;

/** `isRun`: no subcommand; the packs it takes to the first request are worth a cache. */
export function runCommand(start: Start, folders: Folders & { readonly isRun: boolean }): void {
  const { name, knownUnits } = start;
  const { cacheRoot, caches, isRun } = folders;
  const progress = mainUnit(start, folders);
  const { scripts } = progress;
  // What runs up to the first request is what the next start wants compiled; more would only cost it time to load. A
  // run that makes none leaves the start pack to one that does.
  const capture = (wanted: typeof scripts): void => {
    if (progress.isFresh) writeCaches(cacheRoot, caches, wanted, progress.usedUnits);
    progress.isFresh = false;
  };
  onFirstRequest(() => {
    // A start inside a repository uses more than one outside: what it had to compile is added to what the cache held.
    if (progress.usedUnits > knownUnits) progress.isFresh = true;
    capture(scripts);
    setTimeout(() => {
      if (!scripts.has(LATHE_ANSWER_PACK)) progress.loadPack(LATHE_ANSWER_PACK);
      // The first event is recorded under a hash; a request without TLS has not loaded this.
      process.getBuiltinModule("node:crypto");
    }, THINKING_MS).unref();
  });
  process.on("exit", () => capture(isRun ? new Map([...scripts].filter(([pack]) => pack !== name)) : scripts));
  const { main } = progress.main as { main: () => Promise<void> };
  void main();
}

/** Runs the main file and whatever it needs at once; more is loaded when it is used. */
export function mainUnit({ name, units, script, fresh }: Start, { packs, caches }: Folders): Progress {
  const packUrl = `file://${encodeURI(packs).replace(/[?#]/g, encodeURIComponent)}`;
  // With room for all from the beginning: a list that begins with a high number would be a slow table.
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

  /** What a unit exports. It runs when it is first asked for. */
  function unit(id: number | string): Exports {
    if (typeof id === "string") {
      ofNode[id] ??= nodeModule(id, packs);
      return ofNode[id];
    }
    const known = loaded[id];
    if (known) return known.exports;
    const module: UnitModule = { exports: {} };
    // Before it runs: units may need each other.
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

// Node's own require looks a builtin up in twenty steps; there are dozens of them on the way to the first request.
function nodeModule(name: string, from: string): Exports {
  const builtin = process.getBuiltinModule(name);
  return (builtin as Exports | undefined) ?? process.getBuiltinModule("node:module").createRequire(from)(name);
}

/** A CommonJS package behind `import()` has its names beside its default, as node would have them. */
function withNames(exported: Exports): Exports {
  return exported["__esModule"] ? exported : { ...exported, default: exported };
}
