// Settings in layers: defaults, the user's file, the project's file (only in a trusted folder), each --config file,
// values of this run. Later layers win. Every value remembers where it came from.

import type { Decision, Rule } from "@lathe/agent/policy";
import { usageError } from "../../platform/usage/exit.ts";
import { USERS_BROKER } from "./broker-settings.ts";
import { flatten } from "./check.ts";
import { SettingsMemory } from "./memory.ts";
import { USERS_MEMORY } from "./memory-settings.ts";
import { ruleFrom } from "./rules.ts";
import { defaultSettings, isSettingKey, type SettingKey, type Settings } from "./schema.ts";
import { USERS_SEARCH } from "./search-settings.ts";
import { settingsText } from "./text.ts";
import { USERS_WEB } from "./web-settings.ts";

export interface SettingsSource {
  readonly file: string;
  /** Whether the file must exist, because the user named it. */
  readonly required: boolean;
  /** Whether this is the file that `lathe config set` changes. */
  readonly own?: boolean;
  /** Whether it comes with the project: then it can narrow what is permitted, never widen it. */
  readonly ofProject?: boolean;
  /** Sections of the file that do not take effect in this run. */
  readonly skips?: readonly string[];
}

export interface LoadedSettings {
  readonly values: Settings;
  /** `model` as set in the files, even if this run uses another. */
  readonly savedModel: string;
  /** For each key `default`, `run`, or the file. */
  readonly origin: ReadonlyMap<SettingKey, string>;
  /** The rules of all files together: each file adds to the earlier ones. */
  readonly rules: readonly Rule[];
  readonly warnings: readonly string[];
}

/** Lists whose layers add up instead of replacing each other. */
const RULES: Readonly<Partial<Record<SettingKey, Decision>>> = {
  "permissions.deny": "deny",
  "permissions.ask": "ask",
  "permissions.allow": "allow",
};

/** Settings that only the user may make, not a project. */
const USERS_OWN: readonly (readonly [keys: RegExp, what: string])[] = [
  [USERS_MEMORY, "decide what is remembered"],
  [USERS_BROKER, "say who keeps your credentials"],
];

/** `memoryFile` is where the contents of the files are remembered; see SettingsMemory. */
export async function loadSettings(
  sources: readonly SettingsSource[],
  run: Partial<Record<SettingKey, unknown>> = {},
  memoryFile?: string,
): Promise<LoadedSettings> {
  const values = defaultSettings() as unknown as Record<string, unknown>;
  const origin = new Map<SettingKey, string>();
  const warnings: string[] = [];
  const rules: Rule[] = [];
  for (const source of sources) {
    const text = settingsText(source.file);
    if (text === undefined && source.required)
      throw usageError(`Cannot read settings ${source.file}: no such file. Name an existing file.`);
    if (text === undefined) continue;
    const layer = await readLayer(source, text, memoryFile);
    warnings.push(...layer.warnings);
    for (const [key, value] of layer.values) {
      if (source.skips?.some((section) => key.startsWith(`${section}.`))) continue;
      if (source.ofProject && key === "permissionMode" && isWider(String(value), String(values[key]))) {
        warnings.push(`${source.file}: permissionMode ${value} is ignored: a project's settings can only narrow it.`);
        continue;
      }
      if (source.ofProject && widensSandbox(key, value, values)) {
        warnings.push(`${source.file}: ${key} is ignored: a project's settings cannot widen the sandbox.`);
        continue;
      }
      if (source.ofProject && (USERS_SEARCH.test(key) || USERS_WEB.test(key))) {
        const what = USERS_WEB.test(key) ? "web requests" : "searches";
        warnings.push(`${source.file}: ${key} is ignored: a project's settings cannot decide where ${what} go.`);
        continue;
      }
      const own = source.ofProject ? USERS_OWN.find(([keys]) => keys.test(key)) : undefined;
      if (own !== undefined) {
        warnings.push(`${source.file}: ${key} is ignored: a project's settings cannot ${own[1]}.`);
        continue;
      }
      if (source.ofProject && key === "permissions.rememberDays" && Number(value) > Number(values[key])) {
        warnings.push(`${source.file}: ${key} is ignored: a project's settings cannot make answers last longer.`);
        continue;
      }
      const decision = RULES[key];
      if (decision !== undefined && source.ofProject && decision === "allow") {
        warnings.push(`${source.file}: ${key} is ignored: a project's settings can only narrow what is permitted.`);
        continue;
      }
      if (decision !== undefined) {
        rules.push(...(value as string[]).map((text) => ruleFrom(decision, text, source.file)));
        values[key] = [...(values[key] as readonly string[]), ...(value as readonly string[])];
      } else values[key] = value;
      origin.set(key, source.file);
    }
  }
  const savedModel = values["model"] as string;
  for (const [key, value] of Object.entries(run)) {
    if (value === undefined) continue;
    values[key] = value;
    origin.set(key as SettingKey, "run");
  }
  return { values: values as unknown as Settings, savedModel, origin, rules, warnings };
}

/** Modes in order of how much they permit without asking. */
const PERMITS = ["read-only", "plan", "ask", "auto-edit", "full"];

const isWider = (mode: string, than: string): boolean => PERMITS.indexOf(mode) > PERMITS.indexOf(than);

/** A project may turn on the sandbox and hide more; only the user may open it up. */
function widensSandbox(key: SettingKey, value: unknown, values: Readonly<Record<string, unknown>>): boolean {
  if (key === "sandbox.enabled") return value === false && values[key] === true;
  return key === "sandbox.network" || key === "sandbox.write";
}

interface Layer {
  readonly values: ReadonlyMap<SettingKey, unknown>;
  readonly warnings: readonly string[];
}

async function readLayer(
  { file, own: isOwn = false }: SettingsSource,
  text: string,
  memoryFile: string | undefined,
): Promise<Layer> {
  const memory = memoryFile === undefined ? undefined : new SettingsMemory(memoryFile);
  const known = memory?.get(file, text);
  const again = known && flatten(known.value);
  if (again?.problems.length === 0) return { values: again.values, warnings: [] };
  // The YAML reader is only loaded for a text that is not remembered.
  const { parseSettings } = await import("./parse.ts");
  const tree = parseSettings(file, text);
  const { value } = tree;
  const { values, problems } = flatten(value);
  const lines = problems.map(({ key, message }) => `${file}:${tree.lineOf(key)}: ${message}`);
  const wrong = problems.findIndex(({ severity }) => severity === "error");
  const { key = "" } = problems[wrong] ?? {};
  if (wrong !== -1)
    throw usageError(
      `${lines[wrong]}. ${isOwn && isSettingKey(key) ? `Fix that line or run: lathe config set ${key} <value>` : "Fix that line."}`,
    );
  // Warnings are repeated on every start, so a file with warnings is not remembered.
  if (problems.length === 0) memory?.set(file, text, value);
  return { values, warnings: lines };
}
