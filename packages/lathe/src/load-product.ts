// Loads the whole product for a program that imported the package: from the packs of the built command, each read when
// it is first used, or from the sources if nothing is built.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

type Product = typeof import("./cli/main.ts");

/** This path is relative to dist/lib. */
const BUILT = "../product.js";
const SOURCE = "./cli/main.ts";

export async function loadProduct(): Promise<Product> {
  const built = fileURLToPath(new URL(BUILT, import.meta.url));
  if (existsSync(built)) return (createRequire(import.meta.url)(built) as { readonly product: Product }).product;
  return import(new URL(SOURCE, import.meta.url).href);
}
