// A models.json, as other agents use it, is converted to models.yml once. The old file is kept under another name.

import { readFile, rename } from "node:fs/promises";
import { basename } from "node:path";
import { stringify } from "yaml";
import { replaceFile } from "../home/json-file.ts";

/** What was done, or why not, in one line. */
export async function importModelsJson(older: string, file: string): Promise<string> {
  try {
    await replaceFile(file, stringify(JSON.parse(await readFile(older, "utf8"))));
    await rename(older, `${older}.bak`);
    return `${older} is now ${basename(file)}; the old file is ${basename(older)}.bak.`;
  } catch (error) {
    return `${older} cannot be converted: ${(error as Error).message}. Fix it, or write ${basename(file)} instead.`;
  }
}
