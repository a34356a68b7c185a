// A copy of the project with all mutants built in, so that the working tree is never touched.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectFiles } from "../check/files.mjs";
import { instrument, parseSource } from "./mutants.mjs";

/** Number of the mutant that is in effect; below zero, none is, and what is reached is noted. */
export const NONE = -1;

/** @param targets `{ source, mutants, first }`; mutants of a file are numbered from `first` */
export function makeTree(root, folder, targets) {
  rmSync(folder, { recursive: true, force: true });
  for (const file of projectFiles(root, /./)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  linkModules(root, folder);
  for (const { source, mutants, first } of targets) {
    const text = readFileSync(join(root, source), "utf8");
    const instrumented = instrument(text, mutants, first, header(folder));
    parseSource(source, instrumented);
    writeFileSync(join(folder, source), instrumented);
  }
  activate(folder, NONE);
}

/** Packages are shared with the project, except our own: those are the ones of the copy. */
function linkModules(root, folder) {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@lathe"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "@lathe" && name !== "lathe" && name !== ".vite")
      symlinkSync(join(root, "node_modules", name), join(modules, name));
  for (const name of readdirSync(join(root, "packages"))) {
    symlinkSync(join(folder, "packages", name), join(modules, name === "lathe" ? name : `@lathe/${name}`));
    const own = join(root, "packages", name, "node_modules");
    if (existsSync(own)) symlinkSync(own, join(folder, "packages", name, "node_modules"));
  }
}

export function activate(folder, mutant) {
  writeFileSync(join(folder, "mutant"), String(mutant));
  rmSync(join(folder, "reached"), { recursive: true, force: true });
  mkdirSync(join(folder, "reached"));
}

/** Numbers of the mutants that were reached since the last activation, in this and other processes. */
export function reachedMutants(folder) {
  return new Set(readdirSync(join(folder, "reached")).map(Number));
}

/**
 * In one line, so that line numbers stay. It asks no variable: tests start programs with an environment of their own. What is
 * reached is noted as an empty file, since some tests start programs that cannot write a byte more.
 */
function header(folder) {
  return `const __m = (globalThis as any).__mutants ??= (() => {
    const fs = process.getBuiltinModule("node:fs");
    const active = Number(fs.readFileSync(${JSON.stringify(join(folder, "mutant"))}, "utf8"));
    if (active >= 0) return (n: number) => n === active;
    const seen = new Set();
    return (n: number) => {
      if (!seen.has(n)) fs.writeFileSync(${JSON.stringify(join(folder, "reached"))} + "/" + n, "");
      seen.add(n);
      return false;
    };
  })();`.replace(/\s*\n\s*/g, " ");
}
