// `lathe config list|get|set|path`.

import { EXIT, usageError } from "../cli/exit.ts";
import { nearest } from "../cli/nearest.ts";
import { homePaths } from "../home/paths.ts";
import { openWorkspace } from "../run/workspace.ts";
import { checkValue, parseValue } from "../settings/check.ts";
import { isSettingKey, SETTINGS, type SettingKey, type SettingSpec } from "../settings/schema.ts";
import { writeSetting } from "../settings/write.ts";
import type { Command } from "./command.ts";
import { table } from "./table.ts";

export const configCommand: Command = async ([verb = "list", key, ...values], machine) => {
  const { stdout } = machine;
  // Changing a file must also work when what it holds is wrong.
  const file = homePaths(machine.env, machine.userHome).config;
  switch (verb) {
    case "list": {
      const { settings, settingsOrigin } = await openWorkspace(machine, {});
      const row = ([name, spec]: [string, SettingSpec]): string[] => [
        name,
        show(settings[name as SettingKey]),
        settingsOrigin.get(name as SettingKey) ?? "default",
        spec.help,
      ];
      stdout.write(table(Object.entries(SETTINGS).map(row)));
      return EXIT.done;
    }
    case "get": {
      const name = known(key);
      stdout.write(`${show((await openWorkspace(machine, {})).settings[name])}\n`);
      return EXIT.done;
    }
    case "set": {
      const name = known(key);
      if (values.length === 0) throw usageError(`Give a value: lathe config set ${name} <value>`);
      const value = parseValue(name, values.join(" "));
      const wrong = checkValue(name, value);
      if (wrong !== undefined) throw usageError(`${name} ${wrong}.`);
      await writeSetting(file, name, value);
      return EXIT.done;
    }
    case "path":
      stdout.write(`${file}\n`);
      return EXIT.done;
    default:
      throw usageError(`lathe config knows list, get, set and path, not "${verb}".`);
  }
};

function known(key: string | undefined): SettingKey {
  if (key === undefined) throw usageError("Name a setting. See: lathe config list");
  if (isSettingKey(key)) return key;
  const guess = nearest(key, Object.keys(SETTINGS));
  throw usageError(`Unknown setting ${key}.${guess ? ` Did you mean ${guess}?` : ""} See: lathe config list`);
}

function show(value: unknown): string {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
