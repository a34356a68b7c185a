// What servers offered when they were last connected, so that a new start can offer it before they run. There is one
// small file per server and configuration.

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { replaceFile } from "../../platform/home/json-file.ts";
import { readIfThere } from "../../platform/home/small-file.ts";
import { shortHash } from "./names.ts";
import type { Definitions, ServerConfig } from "./types.ts";

export interface KeptDefinitions {
  /** Epoch milliseconds. */
  readonly savedAt: number;
  readonly definitions: Definitions;
}

export class DefinitionCache {
  readonly #folder: string;
  constructor(cacheFolder: string) {
    this.#folder = join(cacheFolder, "mcp");
  }

  /** Also undefined for a file that we did not write. */
  read(config: ServerConfig): KeptDefinitions | undefined {
    try {
      const kept = JSON.parse(readIfThere(this.#file(config)) ?? "null") as Partial<KeptDefinitions> | null;
      return kept !== null && isDefinitions(kept.definitions) && typeof kept.savedAt === "number"
        ? { savedAt: kept.savedAt, definitions: kept.definitions }
        : undefined;
    } catch {
      return undefined; // only a cache: the server is asked again
    }
  }

  async write(config: ServerConfig, kept: KeptDefinitions): Promise<void> {
    const file = this.#file(config);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, JSON.stringify(kept));
  }

  #file(config: ServerConfig): string {
    const { name, transport, command, args, env, cwd, url, headers } = config;
    const identity = JSON.stringify([FORMAT, name, transport, command, args, env, cwd, url, headers]);
    return join(this.#folder, `${name.replace(/[^\w-]/g, "_").slice(0, 40)}-${shortHash(identity)}.json`);
  }
}

/** Earlier files may contain secrets. */
const FORMAT = 2;

function isDefinitions(value: Partial<Definitions> | undefined): value is Definitions {
  const { tools, prompts } = value ?? {};
  return (
    Array.isArray(tools) &&
    Array.isArray(prompts) &&
    tools.every((tool) => typeof tool?.name === "string" && typeof tool.schema === "object" && tool.schema !== null) &&
    prompts.every((prompt) => typeof prompt?.name === "string" && Array.isArray(prompt.arguments))
  );
}
