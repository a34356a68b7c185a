// A copy of the project with all mutants built in; the working tree is never touched.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectFiles } from "../check/files.mjs";
import { instrument, parseSource } from "./mutants.mjs";

/** The number of the active mutant; below zero, none is active and reached mutants are recorded. */
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

/** Packages are shared with the project, except our own, which are those of the copy. */
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

/** Numbers of the mutants reached since the last activation, in this and other processes. */
export function reachedMutants(folder) {
  return new Set(readdirSync(join(folder, "reached")).map(Number));
}

/**
 * On one line, so that line numbers stay. It uses no environment variable, since tests start programs with their own
 * environment. Each reached mutant is recorded as an empty file, since some tests start programs that cannot write a
 * single byte more.
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
