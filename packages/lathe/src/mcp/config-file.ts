// The files that `lathe mcp add` and `remove` write: `~/.lathe/mcp.json`, or `.lathe/mcp.json` of the project.

import { join } from "node:path";
import type { JsonObject } from "@lathe/llm";
import { updateJsonFile } from "../home/json-file.ts";
import { usageError } from "../usage/exit.ts";
import type { Workspace } from "../workspace/workspace.ts";

const FILE = "mcp.json";
const KEY = "mcpServers";

export const configFile = ({ paths, cwd }: Workspace, ofProject: boolean): string =>
  ofProject ? join(cwd, ".lathe", FILE) : join(paths.home, FILE);

/** False when there was one of that name: it is replaced. */
export async function addServer(file: string, name: string, server: JsonObject): Promise<boolean> {
  let isNew = true;
  await change(file, (servers) => {
    isNew = !Object.hasOwn(servers, name);
    return { ...servers, [name]: server };
  });
  return isNew;
}

/** False when there was none. */
export async function removeServer(file: string, name: string): Promise<boolean> {
  let wasThere = false;
  await change(file, ({ [name]: removed, ...rest }) => {
    wasThere = removed !== undefined;
    return rest;
  });
  return wasThere;
}

async function change(file: string, work: (servers: JsonObject) => JsonObject): Promise<void> {
  await updateJsonFile(file, (value) => {
    const whole = value ?? {};
    const servers = isObject(whole) ? (whole[KEY] ?? {}) : undefined;
    // Somebody wrote it by hand and will want to keep it.
    if (!isObject(whole) || !isObject(servers))
      throw usageError(`${file} does not hold { "${KEY}": { … } }. Fix or remove it.`);
    return { ...whole, [KEY]: work(servers) };
  });
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
