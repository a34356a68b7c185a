// dist/product.js: the code of the command for a program that uses the package. It runs nothing, takes no signal, and leaves the code
// caches as they are.

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

/** What the main file of the command exports. */
export const product: Exports = mainUnit(
  { name: LATHE_START_PACK, units, ...start },
  { packs, cacheRoot, caches },
).main;
