// dist/product.js: the code of the command for a program that uses the package. It runs nothing, handles no signals and
// does not write the code caches.

import { codeCaches } from "./code-caches.ts";
import { loadScript } from "./load-script.ts";
import type { Exports, StartPack } from "./runtime.ts";

const packs = `${__dirname}/packs/`;
const { cacheRoot, caches } = codeCaches("");
const start = loadScript(packs + LATHE_START_PACK, `${caches}${LATHE_START_PACK}.bin`);
const [runtime, units] = start.script.runInThisContext() as StartPack;
const runtimeModule = { exports: {} as typeof import("./runtime.ts") };
runtime(runtimeModule, require);
const { mainUnit } = runtimeModule.exports;

/** The exports of the command's main file. */
export const product: Exports = mainUnit(
  { name: LATHE_START_PACK, units, ...start },
  { packs, cacheRoot, caches },
).main;
