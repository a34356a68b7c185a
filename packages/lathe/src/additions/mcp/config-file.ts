// The files that `lathe mcp add` and `remove` write: `~/.lathe/mcp.json`, or the project's `.lathe/mcp.json`.

import { join } from "node:path";
import { isJsonObject, type JsonObject } from "@lathe/llm";
import { applyEdits, createScanner, findNodeAtLocation, modify, type ParseError, parse, parseTree } from "jsonc-parser";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { readTextFile, replaceFile, withFileLock } from "../../platform/home/json-file.ts";
import { schemaAddress } from "../../platform/home/package-folder.ts";
import { usageError } from "../../platform/usage/exit.ts";

const FILE = "mcp.json";
/** In the same order as when the file is read: the first key that exists is used. */
const KEYS = ["mcpServers", "servers"];

export const configFile = ({ paths, cwd }: Workspace, ofProject: boolean): string =>
  ofProject ? join(cwd, ".lathe", FILE) : join(paths.home, FILE);

/** The servers in the file now. */
export function serversOf(file: string): JsonObject {
  return serversIn((readTextFile(file) ?? "").replace(/^\uFEFF/, ""), file).servers;
}

/** Adds or replaces a server. False if it replaced one. `isShared`: the file belongs to a project. */
export async function addServer(file: string, name: string, server: JsonObject, isShared: boolean): Promise<boolean> {
  return !(await changeEntry(file, name, server, isShared));
}

/** False if there was no such server. */
export async function removeServer(file: string, name: string): Promise<boolean> {
  return changeEntry(file, name, undefined, true);
}

/**
 * Changes only this entry of the text, so that everything around it stays, including comments. True if the entry
 * existed.
 */
async function changeEntry(
  file: string,
  name: string,
  server: JsonObject | undefined,
  isShared: boolean,
): Promise<boolean> {
  return withFileLock(file, async () => {
    const [, mark = "", text = ""] = /^(\uFEFF?)(.*)$/s.exec(readTextFile(file) ?? "") ?? [];
    const { key, servers } = serversIn(text, file);
    const wasThere = Object.hasOwn(servers, name);
    if (!wasThere && server === undefined) return false;
    const empty = isShared ? {} : { $schema: schemaAddress(file) };
    const before = text.trim() === "" ? `${JSON.stringify(empty, null, 2)}\n` : text;
    const after = server === undefined ? withoutEntry(before, [key, name]) : withEntry(before, [key, name], server);
    await replaceFile(file, mark + after);
    return wasThere;
  });
}

/** Throws if the file is invalid: the user wrote it by hand and will want to keep it. */
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
  const key = KEYS.find((one) => isJsonObject(whole) && isJsonObject(whole[one])) ?? usual;
  const servers = isJsonObject(whole) ? (whole[key] ?? {}) : undefined;
  if (!isJsonObject(servers)) throw usageError(`${file} does not hold { "${usual}": { … } }. Fix or remove it.`);
  return { key, servers };
}

function withEntry(text: string, path: readonly string[], server: JsonObject): string {
  return applyEdits(text, modify(text, [...path], server, { formattingOptions: formatOf(text) }));
}

/** The library's own removal would also delete comments before the entry. */
function withoutEntry(text: string, path: readonly string[]): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const entry = tree && findNodeAtLocation(tree, [...path])?.parent;
  if (!entry) return text;
  const after = commaAfter(text, entry.offset + entry.length);
  const before = text.slice(0, entry.offset);
  if (after !== undefined) return joinText(before, text.slice(after + 1));
  // This was the last entry: the comma before it goes too, or strict readers would refuse the file.
  const siblings = entry.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(entry) - 1];
  const comma = previous && commaAfter(text, previous.offset + previous.length);
  const kept = comma === undefined ? before : before.slice(0, comma) + before.slice(comma + 1);
  return joinText(kept, text.slice(entry.offset + entry.length));
}

/** Joins the texts without the line that is left empty. */
function joinText(before: string, after: string): string {
  const ownLine = /\r?\n[ \t]*$/.exec(before);
  return ownLine && /^[ \t]*(?:\r?\n|$)/.test(after)
    ? before.slice(0, ownLine.index) + after.replace(/^[ \t]+/, "")
    : before + after;
}

function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === "," ? at : undefined;
}

function formatOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(text) ?? [];
  return { insertSpaces: !indent.includes("\t"), tabSize: indent.length, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}
