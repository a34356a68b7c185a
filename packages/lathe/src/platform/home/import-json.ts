// A JSON file, as other agents use it, is converted to our YAML once. The old file is kept under another name.

import { readFile, rename } from "node:fs/promises";
import { basename } from "node:path";
import { stringify } from "yaml";
import { replaceFile } from "./json-file.ts";
import { schemaComment } from "./package-folder.ts";

/** What was done, or why not, in one line. `renamed`: top-level keys that have another name now. */
export async function importJson(
  older: string,
  file: string,
  renamed: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const read = JSON.parse(await readFile(older, "utf8")) as object;
    const entries = Object.entries(read).map(([key, value]) => [renamed[key] ?? key, value] as const);
    await replaceFile(file, schemaComment(file) + stringify(Object.fromEntries(entries)));
    await rename(older, `${older}.bak`);
    return `${older} is now ${basename(file)}; the old file is ${basename(older)}.bak.`;
  } catch (error) {
    return `${older} cannot be converted: ${(error as Error).message}. Fix it, or write ${basename(file)} instead.`;
  }
}
