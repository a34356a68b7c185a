// The settings as a screen shows them: grouped, each with its meaning, value and origin, and how to change it.

import type { Schema } from "@lathe/llm/schema";
import { usageError } from "../../platform/usage/exit.ts";
import { shownSetting } from "../credentials/broker/token-setting.ts";
import { checkValue, parseValue } from "./check.ts";
import { helpOf, SETTINGS, type SettingKey, type Settings } from "./schema.ts";
import { choicesOf, kindOf } from "./setting-kinds.ts";
import { removeSetting, writeSetting } from "./write.ts";

/** The parts of a workspace that this needs. */
interface SettingsPlace {
  readonly settings: Settings;
  readonly settingsOrigin: ReadonlyMap<SettingKey, string>;
  readonly paths: { readonly config: string };
}

export interface ShownSetting {
  readonly key: SettingKey;
  readonly help: string;
  /** The possible values, if they are limited. */
  readonly choices?: readonly string[];
  /** The value as the text that would set it. */
  readonly value: string;
  readonly isDefault: boolean;
  /** `default`, `run`, or the file that sets it. */
  readonly origin: string;
}

export interface SettingsGroup {
  /** The first word of the keys; `general` for keys of one word. */
  readonly name: string;
  readonly settings: readonly ShownSetting[];
}

export function settingsScreen({ settings, settingsOrigin }: SettingsPlace): readonly SettingsGroup[] {
  const groups = new Map<string, ShownSetting[]>();
  for (const [name, schema] of Object.entries(SETTINGS) as [SettingKey, Schema][]) {
    const group = name.includes(".") ? name.slice(0, name.indexOf(".")) : "general";
    const origin = settingsOrigin.get(name) ?? "default";
    const choices = kindOf(schema) === "boolean" ? ["true", "false"] : choicesOf(schema);
    const shown: ShownSetting = {
      key: name,
      help: helpOf(name),
      value: writtenForm(shownSetting(name, settings[name])),
      isDefault: origin === "default",
      origin,
      ...(choices === undefined ? {} : { choices }),
    };
    groups.set(group, [...(groups.get(group) ?? []), shown]);
  }
  return [...groups].map(([name, shown]) => ({ name, settings: shown }));
}

/**
 * Writes the value to the user's file and applies it here where settings are read again; the rest takes effect in the
 * next session. An invalid text is refused with one line. Undefined resets the setting. Returns a note if another file
 * overrides it in this folder.
 */
export async function changeSetting(
  workspace: SettingsPlace,
  key: SettingKey,
  text: string | undefined,
): Promise<string | undefined> {
  const { paths, settings, settingsOrigin } = workspace;
  const value = text === undefined ? SETTINGS[key].default : parseValue(key, text);
  const wrong = text === undefined ? undefined : checkValue(key, value);
  if (wrong !== undefined) throw usageError(`${wrong}.`);
  if (text === undefined) await removeSetting(paths.config, key);
  else await writeSetting(paths.config, key, value);
  const origin = settingsOrigin.get(key) ?? paths.config;
  if (origin !== paths.config)
    return `${key} is set in ${paths.config}, but here ${origin === "run" ? "an option of this run" : origin} overrides it.`;
  Object.assign(settings, { [key]: value });
  (settingsOrigin as Map<SettingKey, string>).set(key, paths.config);
  if (text === undefined) (settingsOrigin as Map<SettingKey, string>).delete(key);
  return undefined;
}

/** The value in the form that `lathe config set` accepts. */
function writtenForm(value: unknown): string {
  if (Array.isArray(value))
    return value.map((item) => (typeof item === "string" ? item : JSON.stringify(item))).join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
