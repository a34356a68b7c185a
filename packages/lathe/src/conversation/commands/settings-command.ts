// /settings: every setting with its value and meaning, from the schema, and a way to change it.

import { checkValue, parseValue } from "../../settings/check.ts";
import { isSettingKey, SETTINGS, type SettingKey, type SettingSpec } from "../../settings/schema.ts";
import { writeSetting } from "../../settings/write.ts";
import { usageError } from "../../usage/exit.ts";
import { nearest } from "../../usage/nearest.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { chooseFrom } from "./choice.ts";
import type { CommandView, SlashCommand } from "./command.ts";

const KEYS = Object.keys(SETTINGS) as SettingKey[];

export const settings: SlashCommand = {
  name: "settings",
  arguments: "[setting [value]]",
  description: "show or change settings",
  whileWorking: true,
  complete: (_conversation, typed) => KEYS.filter((key) => key.startsWith(typed)),
  run: async ({ workspace }, argument, view) => {
    const [, name = "", given = ""] = /^(\S*)\s*(.*)$/.exec(argument) ?? [];
    const key = name === "" ? await chosenKey(workspace, view) : known(name);
    if (key === undefined) return;
    const text = given === "" ? await chosenValue(workspace, key, view) : given;
    if (text === undefined) return view.line(`${key} = ${shown(workspace.settings[key])}`, "dim");
    const value = parseValue(key, text);
    const wrong = checkValue(key, value);
    if (wrong !== undefined) throw usageError(`${key} ${wrong}.`);
    await writeSetting(workspace.paths.config, key, value);
    view.settingChanged?.(key, value);
    view.line(`${key} = ${shown(value)}. Saved; most settings take effect in the next session.`, "dim");
  },
};

function known(name: string): SettingKey {
  if (isSettingKey(name)) return name;
  const guess = nearest(name, KEYS);
  throw usageError(`Unknown setting ${name}.${guess ? ` Did you mean ${guess}?` : ""} See /settings.`);
}

function chosenKey(
  { settings: values, settingsOrigin }: Workspace,
  view: CommandView,
): Promise<SettingKey | undefined> {
  const items = KEYS.map((key) => ({ value: key, label: key, detail: shown(values[key]) }));
  const preview = (key: SettingKey): string => {
    const { help, choices }: SettingSpec = SETTINGS[key];
    const from = settingsOrigin.get(key) ?? "default";
    return [help, choices ? `one of: ${choices.join(", ")}` : "", `from: ${from}`]
      .filter((line) => line !== "")
      .join("\n");
  };
  return chooseFrom(view, { title: "Settings", items, preview });
}

async function chosenValue(
  { settings: values }: Workspace,
  key: SettingKey,
  view: CommandView,
): Promise<string | undefined> {
  const { type, choices }: SettingSpec = SETTINGS[key];
  const offered = type === "boolean" ? ["true", "false"] : choices;
  if (!offered) return view.ask(`${key} (now ${shown(values[key]) || "empty"}): `);
  const items = offered.map((value) => ({ value, label: value }));
  const current = offered.indexOf(String(values[key]));
  return chooseFrom(view, { title: key, items, ...(current < 0 ? {} : { current }) });
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
