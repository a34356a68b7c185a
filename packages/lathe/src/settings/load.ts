// Settings in layers: defaults, the user's file, the project's file (only in a trusted folder), each --config file, values of
// this run. Later wins. Every value remembers where it came from.

import { CliError, EXIT } from "../cli/exit.ts";
import { readIfThere } from "../home/small-file.ts";
import { flatten } from "./check.ts";
import { defaultSettings, type SettingKey, type Settings } from "./schema.ts";

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
    const tree = await readSettingsFile(source);
    if (tree === undefined) continue;
    const layer = flatten(tree.value);
    for (const problem of layer.problems) {
      const line = `${source.file}:${tree.lineOf(problem.key)}: ${problem.message}`;
      if (problem.severity === "error")
        throw new CliError(EXIT.usage, `${line}. Mend the file or run: lathe config set ${problem.key} <value>`);
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

interface ParsedFile {
  readonly value: unknown;
  lineOf(key: string): number;
}

async function readSettingsFile({ file, required }: SettingsSource): Promise<ParsedFile | undefined> {
  const text = settingsText(file);
  if (text === undefined) {
    if (required) throw new CliError(EXIT.usage, `Cannot read settings ${file}: no such file.`);
    return undefined;
  }
  // The YAML reader is only paid for by those who have a file.
  const { isMap, LineCounter, parseDocument } = await import("yaml");
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const broken = document.errors[0];
  if (broken) {
    const line = broken.linePos?.[0].line ?? 1;
    throw new CliError(EXIT.usage, `${file}:${line}: not valid YAML: ${broken.message.split("\n")[0]}`);
  }
  return {
    value: document.toJS() ?? {},
    lineOf: (key) => {
      let node: unknown = document.contents;
      let line = 1;
      for (const name of key.split(".")) {
        if (!isMap(node)) break;
        const pair = node.items.find((item) => String(item.key) === name);
        const range = (pair?.key as { range?: [number, number, number] } | undefined)?.range;
        if (!pair || !range) break;
        line = counter.linePos(range[0]).line;
        node = pair.value;
      }
      return line;
    },
  };
}

function settingsText(file: string): string | undefined {
  try {
    return readIfThere(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.usage, `Cannot read settings ${file}: ${code}.`, { cause: error });
  }
}
