// The text of puppeteer for the process of scripts, as scripts/bundle/puppeteer.mjs makes it of the package.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** It stands beside the packs of the command; where the sources run, it is made anew. */
export async function puppeteerText(): Promise<string> {
  const file = fileURLToPath(new URL("../browser/puppeteer.js", import.meta.url));
  if (existsSync(file)) return readFile(file, "utf8");
  const maker = new URL("../../../../../../scripts/bundle/puppeteer.mjs", import.meta.url).href;
  const { puppeteerCode } = (await import(maker)) as { puppeteerCode(): Promise<string> };
  return puppeteerCode();
}
