// dist/product.js: the code of the command for a program that uses the package. It runs nothing, takes no signal, and leaves the code
// caches as they are.

import { codeCaches } from "./code-caches.ts";
import { loadScript } from "./load-script.ts";
import type { Exports, StartPack } from "./runtime.ts";

let product: Exports | undefined;

/** What the main file of the command exports; once in a process. */
export function loadProduct(): Exports {
  if (product) return product;
  const packs = `${__dirname}/packs/`;
  const start = loadScript(packs + LATHE_START_PACK, `${codeCaches("").caches}${LATHE_START_PACK}.bin`);
  const [runtime, units] = start.script.runInThisContext() as StartPack;
  const module = { exports: {} as typeof import("./runtime.ts") };
  runtime(module, require);
  product = module.exports.mainUnit({ name: LATHE_START_PACK, units, ...start }, { packs, ...codeCaches("") }).main;
  return product;
}
