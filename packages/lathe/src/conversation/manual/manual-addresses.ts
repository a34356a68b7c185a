// `lathe://<page>`: Lathe's own documentation, which is part of the package and readable without a network.

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolFailure } from "@lathe/agent";
import type { SchemeEntry, SchemeResolver } from "@lathe/agent/contract";

/** Pages about the development of Lathe, not its use. */
const LEFT_OUT = new Set(["progress.md", "mutation.md"]);
/** Folders relative to this file: next to the built command, or in the source tree. */
const PLACES = ["./docs/", "../docs/", "../../docs/", "../../../../../docs/"];

/** `packageDir`: a package folder whose `docs` is read instead. */
export function manualAddresses(packageDir?: string): SchemeResolver {
  const folder = folderOf(packageDir);
  return {
    hasSelectors: true,
    read: async (url) => {
      const name = decodeURIComponent(url.slice("lathe://".length)).replace(/\/+$/, "");
      const pages = await pageNames(folder);
      const page = [name, `${name}.md`].find((one) => pages.includes(one));
      if (page === undefined) {
        throw new ToolFailure(
          pages.length === 0
            ? "The documentation is not installed here."
            : `There is no page ${url}. There are: ${pages.map((one) => `lathe://${one}`).join(", ")}.`,
        );
      }
      return { bytes: await readFile(join(folder as string, page)), mediaType: "text/markdown", immutable: true };
    },
    list: async () => Promise.all((await pageNames(folder)).map((page) => entryOf(folder as string, page))),
  };
}

async function entryOf(folder: string, page: string): Promise<SchemeEntry> {
  const text = await readFile(join(folder, page), "utf8");
  const title = /^# (.+)$/m.exec(text)?.[1];
  return { url: `lathe://${page}`, ...(title === undefined ? {} : { about: title }) };
}

async function pageNames(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return [];
  const names = (await readdir(folder)).map((name) => basename(name));
  return names.filter((name) => name.endsWith(".md") && !LEFT_OUT.has(name)).sort();
}

function folderOf(packageDir: string | undefined): string | undefined {
  if (packageDir) return join(packageDir, "docs");
  return PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(
    (place) => existsSync(join(place, "settings.md")) && existsSync(join(place, "keys.md")),
  );
}
