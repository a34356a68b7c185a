// `lathe config set` and `unset`: change one key of the user's file under a lock, keeping comments, order and unknown keys.

import { type Document, isMap } from "yaml";
import { usageError } from "../cli/exit.ts";
import { replaceFile, withFileLock } from "../home/json-file.ts";
import { parseSettings } from "./parse.ts";
import type { SettingKey } from "./schema.ts";
import { settingsText } from "./text.ts";

export async function writeSetting(file: string, key: SettingKey, value: unknown): Promise<void> {
  await change(file, (document) => {
    const path = key.split(".");
    for (let depth = 1; depth < path.length; depth++) {
      const section = document.getIn(path.slice(0, depth), true);
      if (section !== undefined && !isMap(section))
        throw usageError(
          `${file}: ${path.slice(0, depth).join(".")} is not a section of settings. Mend the file first.`,
        );
    }
    document.setIn(path, value);
    return true;
  });
}

/** False when it was not there. */
export async function removeSetting(file: string, key: SettingKey): Promise<boolean> {
  return change(file, (document) => document.hasIn(key.split(".")) && document.deleteIn(key.split(".")));
}

async function change(file: string, edit: (document: Document) => boolean): Promise<boolean> {
  return withFileLock(file, async () => {
    const { document } = parseSettings(file, settingsText(file) ?? "");
    if (!edit(document)) return false;
    await replaceFile(file, document.toString());
    return true;
  });
}
