// Settings in layers: defaults, the user's file, the project's file (only in a trusted folder), each --config file, values of
// this run. Later wins. Every value remembers where it came from.

import { usageError } from "../cli/exit.ts";
import { flatten } from "./check.ts";
import { defaultSettings, type SettingKey, type Settings } from "./schema.ts";
import { settingsText } from "./text.ts";

export interface SettingsSource {
  readonly file: string;
  /** A file the user named must exist. */
  readonly required: boolean;
}

export interface LoadedSettings {
  readonly values: Settings;
  /** `default`, `run`, or the file. */
  readonly origin: ReadonlyMap<SettingKey, string>;
  readonly warnings: readonly string[];
}

export async function loadSettings(
  sources: readonly SettingsSource[],
  run: Partial<Record<SettingKey, unknown>> = {},
): Promise<LoadedSettings> {
  const values: Record<string, unknown> = { ...defaultSettings() };
  const origin = new Map<SettingKey, string>();
  const warnings: string[] = [];
  for (const source of sources) {
    const text = settingsText(source.file);
    if (text === undefined && source.required)
      throw usageError(`Cannot read settings ${source.file}: no such file. Give an existing one.`);
    if (text === undefined) continue;
    // The YAML reader is only paid for by those who have a file.
    const tree = await (await import("./parse.ts")).parseSettings(source.file, text);
    const layer = flatten(tree.document.toJS() ?? {});
    for (const problem of layer.problems) {
      const line = `${source.file}:${tree.lineOf(problem.key)}: ${problem.message}`;
      if (problem.severity === "error")
        throw usageError(`${line}. Mend the file or run: lathe config set ${problem.key} <value>`);
      warnings.push(line);
    }
    for (const [key, value] of layer.values) {
      values[key] = value;
      origin.set(key, source.file);
    }
  }
  for (const [key, value] of Object.entries(run)) {
    if (value === undefined) continue;
    values[key] = value;
    origin.set(key as SettingKey, "run");
  }
  return { values: values as unknown as Settings, origin, warnings };
}
