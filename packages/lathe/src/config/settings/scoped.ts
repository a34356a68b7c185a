// Lists whose entries may be limited to folders: `- openai`, or `- {path: ~/private, providers: [openai]}`.

import { join, relative } from "node:path";
import type { Schema } from "@lathe/llm/schema";
import { SETTINGS, type SettingKey, type Settings } from "./schema.ts";
import { FOLDER_NAMES, kindOf, VALUE_NAMES } from "./setting-kinds.ts";

/** A rule the schema cannot express: an entry for folders must name at least one, and what applies there. */
export function wrongInScopedList(key: SettingKey, entries: readonly unknown[]): string | undefined {
  const at = entries.findIndex((entry) => typeof entry !== "string" && !isWhole(entry as object));
  return at < 0 ? undefined : `${key}[${at}] must have a path and the ${VALUE_NAMES.join(", or ")} that apply there`;
}

const isWhole = (entry: object): boolean =>
  [FOLDER_NAMES, VALUE_NAMES].every((names) => names.some((name) => Object.hasOwn(entry, name)));

/** The settings that apply in a folder: scoped lists become plain ones. */
export function settingsIn(cwd: string, userHome: string, settings: Settings): Settings {
  const values = settings as unknown as Readonly<Record<string, readonly unknown[]>>;
  const scoped: Record<string, readonly string[]> = {};
  for (const key of Object.keys(SETTINGS)) {
    const schema: Schema = SETTINGS[key as SettingKey];
    if (kindOf(schema) !== "scoped") continue;
    const entries = values[key] ?? [];
    if (entries.length > 0) scoped[key] = entries.flatMap((entry) => inFolder(entry, cwd, userHome));
  }
  return { ...settings, ...scoped };
}

function inFolder(entry: unknown, cwd: string, userHome: string): readonly string[] {
  if (typeof entry === "string") return [entry];
  const members = Object.entries(entry as Record<string, unknown>);
  const of = (names: readonly string[]): readonly string[] =>
    members.flatMap(([key, value]) => (names.includes(key) ? [value as string | readonly string[]].flat() : []));
  const covers = of(FOLDER_NAMES).some((folder) => isAtOrBelow(folder.replace(/^~(?=\/|$)/, userHome), cwd));
  return covers ? of(VALUE_NAMES) : [];
}

function isAtOrBelow(folder: string, path: string): boolean {
  const way = relative(join(folder, "."), path);
  return way === "" || !(way === ".." || way.startsWith("../") || way.startsWith("/"));
}
