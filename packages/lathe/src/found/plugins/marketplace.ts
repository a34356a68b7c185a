// Marketplaces: a folder or repository with a marketplace.json, which lists plugins.

import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isJsonObject } from "@lathe/llm";
import { readJsonFile } from "../../platform/home/json-file.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { ONLY_LISTED } from "../discovery/plugin-files.ts";
import { type PluginSource, sourceInMarketplace } from "./source.ts";

export interface Offer {
  readonly name: string;
  readonly description?: string;
  /** Absent if its source is of an unknown kind. */
  readonly source?: PluginSource;
  /** Its entry in the list, which may say what the plugin contains. */
  readonly entry: Readonly<Record<string, unknown>>;
}

export interface Marketplace {
  readonly name?: string;
  readonly offers: readonly Offer[];
}

export function readMarketplace(root: string): Marketplace {
  const file = [`${root}/.claude-plugin/marketplace.json`, `${root}/marketplace.json`].find((path) => existsSync(path));
  const value = file === undefined ? undefined : readJsonFile(file);
  if (!isJsonObject(value) || !Array.isArray(value["plugins"]))
    throw usageError(
      "This is not a marketplace: there is no .claude-plugin/marketplace.json with a list of plugins in it.",
    );
  const { name, plugins, metadata } = value;
  const folder = isJsonObject(metadata) ? metadata["pluginRoot"] : undefined;
  return {
    ...(typeof name === "string" ? { name } : {}),
    offers: plugins.filter(isJsonObject).flatMap((entry) => {
      const { name: offered, description, source } = entry;
      if (typeof offered !== "string") return [];
      const isBare = typeof source === "string" && typeof folder === "string" && !source.startsWith(".");
      const from = sourceInMarketplace(isBare ? `${folder}/${source}` : source, root);
      return [
        {
          name: offered,
          entry,
          ...(typeof description === "string" ? { description } : {}),
          ...(from === undefined ? {} : { source: from }),
        },
      ];
    }),
  };
}

const PARTS = ["skills", "commands", "agents", "hooks", "mcpServers", "lspServers"];

/**
 * Writes the marketplace's entry for a plugin as the plugin's manifest. A plugin with its own manifest keeps it, unless
 * the entry says that it defines the plugin (`strict: false`).
 */
export async function writeListedManifest(fetched: string, { name, entry }: Offer): Promise<void> {
  const file = `${fetched}/.claude-plugin/plugin.json`;
  if (existsSync(file) && entry["strict"] !== false) return;
  const listed = Object.entries(entry).filter(([key]) => PARTS.includes(key));
  const about = Object.entries(entry).filter(([key]) => key === "version" || key === "description");
  const manifest = { name, ...Object.fromEntries([...about, ...listed]), [ONLY_LISTED]: listed.length > 0 };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
