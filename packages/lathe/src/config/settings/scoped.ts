// Lists whose entries may be limited to folders: `- openai`, or `- {path: ~/private, providers: [openai]}`.

import { join, relative } from "node:path";
import { SETTINGS, type SettingKey, type SettingSpec, type Settings } from "./schema.ts";

const FOLDERS = ["path", "paths", "pathPrefix", "pathPrefixes"];
const VALUES = ["models", "providers", "values"];

/** Undefined when the list is right. */
export function wrongInScopedList(value: unknown): string | undefined {
  if (!Array.isArray(value)) return NO_LIST;
  for (const entry of value) {
    if (typeof entry === "string") continue;
    if (!isScopedEntry(entry)) return NO_LIST;
    const relative = Object.entries(entry).flatMap(([key, folders]) => (FOLDERS.includes(key) ? words(folders) : []));
    if (!relative.every(isFolder)) return "must name folders that begin with / or ~/";
  }
  return undefined;
}

const NO_LIST = "must be a list of words or of {path, values}";

function isScopedEntry(entry: unknown): entry is Record<string, unknown> {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return false;
  const members = Object.entries(entry);
  const has = (names: readonly string[]): boolean => members.some(([key]) => names.includes(key));
  const fits = ([key, value]: [string, unknown]): boolean =>
    FOLDERS.includes(key) ? words(value).length > 0 : VALUES.includes(key) && isWords(value);
  return has(FOLDERS) && has(VALUES) && members.every(fits);
}

/** The settings as they apply in a folder: scoped lists become plain ones. */
export function settingsIn(cwd: string, userHome: string, settings: Settings): Settings {
  const values = settings as unknown as Readonly<Record<string, readonly unknown[]>>;
  const scoped: Record<string, readonly string[]> = {};
  for (const key of Object.keys(SETTINGS)) {
    const spec: SettingSpec = SETTINGS[key as SettingKey];
    if (spec.type !== "scoped") continue;
    const entries = values[key] ?? [];
    if (entries.length > 0) scoped[key] = entries.flatMap((entry) => inFolder(entry, cwd, userHome));
  }
  return { ...settings, ...scoped };
}

function inFolder(entry: unknown, cwd: string, userHome: string): readonly string[] {
  if (typeof entry === "string") return [entry];
  const members = Object.entries(entry as Record<string, unknown>);
  const of = (names: readonly string[]): string[] =>
    members.flatMap(([key, value]) => (names.includes(key) ? words(value) : []));
  const covers = of(FOLDERS).some((folder) => isAtOrBelow(folder.replace(/^~(?=\/|$)/, userHome), cwd));
  return covers ? of(VALUES) : [];
}

function isAtOrBelow(folder: string, path: string): boolean {
  const way = relative(join(folder, "."), path);
  return way === "" || !(way === ".." || way.startsWith("../") || way.startsWith("/"));
}

/** A folder must mean the same wherever the command is started. */
const isFolder = (path: string): boolean => path.startsWith("/") || path === "~" || path.startsWith("~/");

function words(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return isWords(value) ? (value as string[]) : [];
}

function isWords(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.every((word) => typeof word === "string"));
}
