// A JSON file, as other agents use it, is converted to our YAML once. The old file is kept under another name.

import { readFile, rename } from "node:fs/promises";
import { basename } from "node:path";
import { stringify } from "yaml";
import { replaceFile } from "./json-file.ts";
import { schemaComment } from "./package-folder.ts";

type Values = Readonly<Record<string, unknown>>;

/** What was done, or why not, in one line. `update`: makes of the old values what they are called now. */
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
