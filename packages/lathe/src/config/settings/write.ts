// `lathe config set` and `unset`: changes one key of the user's file under a lock, keeping comments, order and unknown
// keys.

import { type Document, isMap } from "yaml";
import { replaceFile, withFileLock } from "../../platform/home/json-file.ts";
import { schemaComment } from "../../platform/home/package-folder.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { parseSettings, spellingsOf } from "./parse.ts";
import type { SettingKey } from "./schema.ts";
import { settingsText } from "./text.ts";

/** `isShared` means that the file belongs to a project. */
export async function writeSetting(file: string, key: SettingKey, value: unknown, isShared = false): Promise<void> {
  await change(file, isShared, (document) => {
    const [known, ...others] = waysTo(document, key);
    for (const way of others) document.deleteIn(way);
    if (known) document.setIn(known, value);
    else addSetting(file, document, key.split("."), value);
    return true;
  });
}

function addSetting(file: string, document: Document, path: readonly string[], value: unknown): void {
  for (let depth = 1; depth < path.length; depth++) {
    const section = document.getIn(path.slice(0, depth));
    // A section without values is null: delete it, so that setIn creates a map.
    if (section === null) document.deleteIn(path.slice(0, depth));
    else if (section !== undefined && !isMap(section))
      throw usageError(`${file}: ${path.slice(0, depth).join(".")} is not a section of settings. Fix the file first.`);
  }
  document.setIn(path, value);
}

/** Returns false if the key was not set. */
export async function removeSetting(file: string, key: SettingKey): Promise<boolean> {
  return change(file, false, (document) => {
    const ways = waysTo(document, key);
    for (const way of ways) document.deleteIn(way);
    return ways.length > 0;
  });
}

const waysTo = (document: Document, key: string): unknown[][] =>
  spellingsOf(document, key).map((way) => way.map((pair) => pair.key));

async function change(file: string, isShared: boolean, edit: (document: Document) => boolean): Promise<boolean> {
  return withFileLock(file, async () => {
    const text = settingsText(file);
    const { document } = parseSettings(file, text ?? "");
    if (!edit(document)) return false;
    await replaceFile(file, (text === undefined && !isShared ? schemaComment(file) : "") + document.toString());
    return true;
  });
}
