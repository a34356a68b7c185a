// /settings: shows every setting with its value and meaning, from the schema, and changes one.

import { isSettingKey, SETTINGS, type SettingKey } from "../../config/settings/schema.ts";
import { changeSetting, type ShownSetting, settingsScreen } from "../../config/settings/screen.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { nearest } from "../../platform/usage/nearest.ts";
import { chooseFrom } from "./choice.ts";
import type { SlashCommand } from "./command.ts";
import type { CommandView } from "./command-view.ts";

const KEYS = Object.keys(SETTINGS) as SettingKey[];

export const settings: SlashCommand = {
  name: "settings",
  arguments: "[setting [value]]",
  description: "show or change settings",
  whileWorking: true,
  complete: (_conversation, typed) => KEYS.filter((key) => key.startsWith(typed)),
  run: async ({ workspace }, argument, view) => {
    const [, name = "", given = ""] = /^(\S*)\s*(.*)$/.exec(argument) ?? [];
    const setting = name === "" ? await chooseSetting(workspace, view) : findSetting(workspace, name);
    if (!setting) return;
    const text = given === "" ? await chooseValue(setting, view) : given;
    if (text === undefined) return view.line(`${setting.key} = ${setting.value}`, "dim");
    const overridden = await changeSetting(workspace, setting.key, text);
    view.line(overridden ?? `${setting.key} = ${text}, ${whenInEffect(setting.key, view)}.`, "dim");
  },
};

/** The screen reads its settings when it opens; a session reads the others when it opens. */
function whenInEffect(key: SettingKey, view: CommandView): string {
  if (view.applySetting?.(key)) return "from now on";
  return /^(?:display|editor|statusLine|terminal|theme)\b/.test(key)
    ? "from the next start on"
    : "from the next session on";
}

const listSettings = (workspace: Workspace): ShownSetting[] =>
  settingsScreen(workspace).flatMap(({ settings: group }) => group);

function findSetting(workspace: Workspace, name: string): ShownSetting | undefined {
  if (isSettingKey(name)) return listSettings(workspace).find(({ key }) => key === name);
  const guess = nearest(name, KEYS);
  throw usageError(`Unknown setting ${name}.${guess ? ` Did you mean ${guess}?` : ""} See /settings.`);
}

function chooseSetting(workspace: Workspace, view: CommandView): Promise<ShownSetting | undefined> {
  const items = listSettings(workspace).map((setting) => ({
    value: setting,
    label: setting.key,
    detail: setting.value,
  }));
  const preview = ({ help, choices, origin }: ShownSetting): string =>
    [help, choices ? `one of: ${choices.join(", ")}` : "", `from: ${origin}`].filter((line) => line !== "").join("\n");
  return chooseFrom(view, { title: "Settings", items, preview });
}

function chooseValue({ key, value, choices }: ShownSetting, view: CommandView): Promise<string | undefined> {
  if (!choices) return view.ask(`${key} (now ${value || "empty"}): `);
  const items = choices.map((choice) => ({ value: choice, label: choice }));
  const current = choices.indexOf(value);
  return chooseFrom(view, { title: key, items, ...(current < 0 ? {} : { current }) });
}
