// The text of puppeteer for the process that runs scripts, built from the package by scripts/bundle/puppeteer.mjs.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The built command has this text as a file; run from source, it is built on first use. */
export async function puppeteerText(): Promise<string> {
  const file = fileURLToPath(new URL("../browser/puppeteer.js", import.meta.url));
  if (existsSync(file)) return readFile(file, "utf8");
  const maker = new URL("../../../../../../scripts/bundle/puppeteer.mjs", import.meta.url).href;
  const { puppeteerCode } = (await import(maker)) as { puppeteerCode(): Promise<string> };
  return puppeteerCode();
}
