// The installed plugins: `~/.lathe/plugins/installed.json`, and next to it a folder for each plugin and marketplace.

import { rm } from "node:fs/promises";
import { isJsonObject } from "@lathe/llm";
import { readJsonFile, updateJsonFile } from "../../platform/home/json-file.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { visible } from "../../sessions/visible.ts";

export interface PluginEntry {
  /** The source as the user wrote it. */
  readonly source: string;
  readonly version?: string;
  readonly enabled?: boolean;
}

export interface Installed {
  readonly plugins: Readonly<Record<string, PluginEntry>>;
  readonly marketplaces: Readonly<Record<string, PluginEntry>>;
}

/** Safe as the name of a folder. */
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

const MISSING: Readonly<Record<keyof Installed, (name: string) => string>> = {
  plugins: (name) => `${name} is not installed. See: lathe plugin list`,
  marketplaces: (name) => `There is no marketplace ${name}. See: lathe plugin marketplace list`,
};

export class Plugins {
  readonly folder: string;
  readonly #file: string;

  constructor(latheHome: string) {
    this.folder = `${latheHome}/plugins`;
    this.#file = `${this.folder}/installed.json`;
  }

  rootOf(name: string): string {
    return `${this.folder}/${checkedName(name)}`;
  }
  marketplaceRoot(name: string): string {
    return `${this.folder}/.marketplaces/${checkedName(name)}`;
  }

  read(): Installed {
    const value = readJsonFile(this.#file);
    const part = (key: string): Readonly<Record<string, PluginEntry>> => {
      const entries: unknown = isJsonObject(value) ? value[key] : undefined;
      return isJsonObject(entries) ? (entries as Record<string, unknown> as Record<string, PluginEntry>) : {};
    };
    return { plugins: part("plugins"), marketplaces: part("marketplaces") };
  }

  async set(part: keyof Installed, name: string, entry: PluginEntry | undefined): Promise<void> {
    await updateJsonFile(this.#file, () => {
      const before = this.read();
      const { [name]: _, ...others } = before[part];
      return { ...before, [part]: entry === undefined ? others : { ...others, [name]: entry } };
    });
  }

  async remove(part: keyof Installed, name: string): Promise<void> {
    if (!Object.hasOwn(this.read()[part], name)) throw usageError(MISSING[part](name));
    await this.set(part, name, undefined);
    await rm(part === "plugins" ? this.rootOf(name) : this.marketplaceRoot(name), { recursive: true, force: true });
  }
}

export function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  throw usageError(`"${visible(name)}" cannot be the name of a plugin: letters, digits, dots and dashes only.`);
}
