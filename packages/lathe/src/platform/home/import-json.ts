// Converts a JSON file, as other agents use it, to our YAML once. The old file is kept under another name.

import { readFile, rename } from "node:fs/promises";
import { basename } from "node:path";
import { stringify } from "yaml";
import { replaceFile } from "./json-file.ts";
import { schemaComment } from "./package-folder.ts";

type Values = Readonly<Record<string, unknown>>;

/** Returns one line that says what was done, or why not. `update` renames old settings to their current names. */
export async function importJson(
  older: string,
  file: string,
  update: (values: Values) => Values = (values) => values,
): Promise<string> {
  try {
    const read = JSON.parse(await readFile(older, "utf8")) as Values;
    await replaceFile(file, schemaComment(file) + stringify(update(read)));
    await rename(older, `${older}.bak`);
    return `${older} is now ${basename(file)}; the old file is ${basename(older)}.bak.`;
  } catch (error) {
    return `${older} cannot be converted: ${(error as Error).message}. Fix it, or write ${basename(file)} instead.`;
  }
}
