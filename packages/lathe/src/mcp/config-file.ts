// The files that `lathe mcp add` and `remove` write: `~/.lathe/mcp.json`, or `.lathe/mcp.json` of the project.

import { join } from "node:path";
import type { JsonObject } from "@lathe/llm";
import { applyEdits, modify, type ParseError, parse } from "jsonc-parser";
import { readTextFile, replaceFile, withFileLock } from "../home/json-file.ts";
import { usageError } from "../usage/exit.ts";
import type { Workspace } from "../workspace/workspace.ts";

const FILE = "mcp.json";
/** As reading has them: the first that is there. */
const KEYS = ["mcpServers", "servers"];

export const configFile = ({ paths, cwd }: Workspace, ofProject: boolean): string =>
  ofProject ? join(cwd, ".lathe", FILE) : join(paths.home, FILE);

/** False when there was one of that name: it is replaced. */
export async function addServer(file: string, name: string, server: JsonObject): Promise<boolean> {
  return !(await change(file, name, server));
}

/** False when there was none. */
export async function removeServer(file: string, name: string): Promise<boolean> {
  return change(file, name, undefined);
}

/** Only this entry of the text changes: what people wrote around it, also comments, stays. True when there was one of that name. */
async function change(file: string, name: string, server: JsonObject | undefined): Promise<boolean> {
  return withFileLock(file, async () => {
    const [, mark = "", text = ""] = /^(\uFEFF?)(.*)$/s.exec(readTextFile(file) ?? "") ?? [];
    const { key, servers } = serversIn(text, file);
    const wasThere = Object.hasOwn(servers, name);
    if (!wasThere && server === undefined) return false;
    const before = text.trim() === "" ? "{}\n" : text;
    const edits = modify(before, [key, name], server, { formattingOptions: formatOf(before) });
    await replaceFile(file, mark + applyEdits(before, edits));
    return wasThere;
  });
}

/** Throws for a file that reading would refuse: somebody wrote it by hand and will want to keep it. */
function serversIn(text: string, file: string): { readonly key: string; readonly servers: JsonObject } {
  const [usual = ""] = KEYS;
  if (text.trim() === "") return { key: usual, servers: {} };
  const errors: ParseError[] = [];
  const whole = parse(text, errors, { allowTrailingComma: true }) as unknown;
  const [broken] = errors;
  if (broken) {
    const line = text.slice(0, broken.offset).split("\n").length;
    throw usageError(`${file}:${line} is not valid JSON. Fix or remove it.`);
  }
  const key = KEYS.find((one) => isObject(whole) && isObject(whole[one])) ?? usual;
  const servers = isObject(whole) ? (whole[key] ?? {}) : undefined;
  if (!isObject(servers)) throw usageError(`${file} does not hold { "${usual}": { … } }. Fix or remove it.`);
  return { key, servers };
}

function formatOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  return { insertSpaces: !indent.includes("\t"), tabSize: indent.length, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
