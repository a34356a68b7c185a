// Imports the user's settings from a file in another format or with older names, once, if there is no config.yml.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const OLDER_FILES = ["settings.json", "config.json"];

/** One line for the user that says what was done; undefined if there is nothing to import. */
export async function importOlderSettings(config: string): Promise<string | undefined> {
  if (existsSync(config)) return undefined;
  const older = OLDER_FILES.map((name) => join(dirname(config), name)).find((file) => existsSync(file));
  if (older === undefined) return undefined;
  const [{ importJson }, { updateOlder }] = await Promise.all([
    import("../../platform/home/import-json.ts"),
    import("./update-older.ts"),
  ]);
  return importJson(older, config, (values) => updateOlder(values, join(dirname(config), "themes")));
}
