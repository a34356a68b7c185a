// The files of the browser client, which scripts/bundle/page.mjs builds from packages/web.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const TYPES = {
  "index.html": "text/html; charset=utf-8",
  "app.js": "text/javascript; charset=utf-8",
  "app.css": "text/css; charset=utf-8",
} as const;

/** `/` serves index.html, which loads the others by these names. */
export type PageFileName = keyof typeof TYPES;

/** A file of the page with its media type. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The files are next to the packs of the command; when running from sources, they are built on the fly. */
export async function readPageFiles(): Promise<Readonly<Record<PageFileName, PageFile>>> {
  const folder = new URL("../web/", import.meta.url);
  const bytesOf = existsSync(fileURLToPath(new URL("app.js", folder)))
    ? (name: PageFileName) => readFile(new URL(name, folder))
    : await buildPage();
  const fileNamed = async (name: PageFileName): Promise<PageFile> => ({
    type: TYPES[name],
    bytes: await bytesOf(name),
  });
  return {
    "index.html": await fileNamed("index.html"),
    "app.js": await fileNamed("app.js"),
    "app.css": await fileNamed("app.css"),
  };
}

async function buildPage(): Promise<(name: PageFileName) => Promise<Uint8Array>> {
  const maker = new URL("../../../../../scripts/bundle/page.mjs", import.meta.url).href;
  const { pageFiles } = (await import(maker)) as { pageFiles(): Promise<Record<PageFileName, Uint8Array>> };
  const files = await pageFiles();
  return async (name) => files[name];
}
