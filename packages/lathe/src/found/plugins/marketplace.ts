// Lists of plugins: a folder or repository with a marketplace.json.

import { existsSync } from "node:fs";
import { isJsonObject } from "@lathe/llm";
import { readJsonFile } from "../../platform/home/json-file.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { type PluginSource, sourceInMarketplace } from "./source.ts";

interface Offer {
  readonly name: string;
  readonly description?: string;
  /** Absent: its source is of a kind that is not known. */
  readonly source?: PluginSource;
}

export interface Marketplace {
  readonly name?: string;
  readonly offers: readonly Offer[];
}

export function readMarketplace(root: string): Marketplace {
  const file = [`${root}/.claude-plugin/marketplace.json`, `${root}/marketplace.json`].find((path) => existsSync(path));
  const value = file === undefined ? undefined : readJsonFile(file);
  if (!isJsonObject(value) || !Array.isArray(value["plugins"]))
    throw usageError("It is no marketplace: there is no .claude-plugin/marketplace.json with a list of plugins in it.");
  const { name, plugins } = value;
  return {
    ...(typeof name === "string" ? { name } : {}),
    offers: plugins.filter(isJsonObject).flatMap(({ name: offered, description, source }) => {
      if (typeof offered !== "string") return [];
      const from = sourceInMarketplace(source, root);
      return [
        {
          name: offered,
          ...(typeof description === "string" ? { description } : {}),
          ...(from === undefined ? {} : { source: from }),
        },
      ];
    }),
  };
}
