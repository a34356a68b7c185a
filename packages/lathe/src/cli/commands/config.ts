// `lathe config list|get|set|unset|path`.

import { shownSetting } from "../../config/credentials/broker/token-setting.ts";
import { checkValue, parseValue } from "../../config/settings/check.ts";
import { helpOf, isSettingKey, SETTINGS, type SettingKey } from "../../config/settings/schema.ts";
import { removeSetting, writeSetting } from "../../config/settings/write.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { Run } from "../../hosts/run.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import { nearest } from "../../platform/usage/nearest.ts";
import { table } from "../../sessions/tables/table.ts";
import type { Command } from "./command.ts";

export const configCommand: Command = async ([verb = "list", key, ...values], machine) => {
  const { stdout } = machine;
  refuseMore(verb, key, values);
  // The user must be able to change a file even if its contents are invalid.
  const file = homePaths(machine.env, machine.userHome).config;
  switch (verb) {
    case "list": {
      const { settings, settingsOrigin } = await openToShow(machine);
      const row = (name: SettingKey): string[] => [
        name,
        show(shownSetting(name, settings[name])),
        settingsOrigin.get(name) ?? "default",
        helpOf(name),
      ];
      stdout.write(table((Object.keys(SETTINGS) as SettingKey[]).map(row)));
      return EXIT.done;
    }
    case "get": {
      const name = settingKeyOf(key);
      stdout.write(`${show(shownSetting(name, (await openToShow(machine)).settings[name]))}\n`);
      return EXIT.done;
    }
    case "set": {
      const name = settingKeyOf(key);
      if (values.length === 0) throw usageError(`Give a value: lathe config set ${name} <value>`);
      const value = parseValue(name, values.join(" "));
      const wrong = checkValue(name, value);
      if (wrong !== undefined) throw usageError(`${wrong}.`);
      await writeSetting(file, name, value);
      await sayIfHidden(machine, file, name);
      return EXIT.done;
    }
    case "unset": {
      const name = settingKeyOf(key);
      const found = await removeSetting(file, name);
      if (!found) machine.stderr.write(`lathe: ${name} is not set in ${file}.\n`);
      return EXIT.done;
    }
    case "path":
      stdout.write(`${file}\n`);
      return EXIT.done;
    default:
      throw usageError(
        `Unknown command "lathe config ${verb}". Choose one of list, get, set, unset, path. See: lathe config --help`,
      );
  }
};

/** An extra word is probably a mistake, so it is reported rather than ignored. */
function refuseMore(verb: string, key: string | undefined, values: readonly string[]): void {
  const takesNone = verb === "list" || verb === "path";
  const extra = takesNone ? key : verb === "get" || verb === "unset" ? values[0] : undefined;
  if (extra === undefined) return;
  throw usageError(`lathe config ${verb} takes ${takesNone ? "nothing more" : "one setting"}, not ${extra}.`);
}

/** Tells the user if a project file overrides the value in this folder. */
async function sayIfHidden(machine: Machine, file: string, name: SettingKey): Promise<void> {
  // A broken file is reported by whatever reads it next.
  const workspace = await new Run(machine).open({}).catch(() => undefined);
  const origin = workspace?.settingsOrigin.get(name) ?? file;
  if (origin !== file)
    machine.stderr.write(`lathe: ${name} is set in ${file}, but in this folder ${origin} overrides it.\n`);
}

/** Unlike a run, this also reports problems in the files that do not stop a run. */
async function openToShow(machine: Machine): Promise<Workspace> {
  const workspace = await new Run(machine).open({});
  for (const warning of workspace.warnings) machine.stderr.write(`lathe: ${warning}\n`);
  return workspace;
}

function settingKeyOf(key: string | undefined): SettingKey {
  if (key === undefined) throw usageError("Name a setting. See: lathe config list");
  if (isSettingKey(key)) return key;
  const parts = Object.keys(SETTINGS).filter((name) => name.startsWith(`${key}.`));
  if (parts.length > 0) throw usageError(`${key} has several parts. Name one of ${parts.join(", ")}.`);
  const guess = nearest(key, Object.keys(SETTINGS));
  throw usageError(`Unknown setting ${key}.${guess ? ` Did you mean ${guess}?` : ""} See: lathe config list`);
}

function show(value: unknown): string {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
