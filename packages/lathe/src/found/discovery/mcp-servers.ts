// Reads MCP servers from the files of all agents, which have the same few fields under many names. Variables and
// commands are not resolved here.

import { isJsonObject } from "@lathe/llm";
import { ignoredField, wrongField } from "./mcp-server-fields.ts";
import type { Search } from "./search.ts";
import { readJson, type Structured } from "./structured.ts";
import type { Level, McpServerValue } from "./types.ts";

/** Adds the servers of a JSON file, which are under one of these keys. */
export function mcpServersIn(
  search: Search<"mcp-server">,
  path: string,
  level: Level,
  keys: readonly string[] = ["mcpServers", "servers"],
): void {
  const read = readJson(search, path, level);
  if (!read) return;
  const key = keys.find((one) => isJsonObject(read.value[one]));
  if (key !== undefined) addServers(search, { path, level }, read, [key]);
}

/** Adds the servers below these keys of a file. */
export function addServers(
  search: Search<"mcp-server">,
  { path, level }: { readonly path: string; readonly level: Level },
  read: Structured,
  keys: readonly string[],
  resolve: (text: string) => string = (text) => text,
): void {
  const servers = keys.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), read.value);
  if (!isJsonObject(servers)) return;
  for (const [name, written] of Object.entries(servers)) {
    const line = (): number | undefined => read.lineOf([...keys, name]);
    const warn = (message: string): void => search.warn(path, `MCP server ${name}: ${message}`, line());
    if (!isJsonObject(written)) {
      warn("it must be an object");
      continue;
    }
    const replaced = replaceDeep(written, resolve);
    const server = wrongField(replaced) ?? serverOf(replaced);
    if (typeof server === "string") {
      warn(server);
      continue;
    }
    search.add(name, { level, path, line }, server);
    const ignored = ignoredField(replaced);
    if (ignored !== undefined) warn(ignored);
  }
}

/** The value with an agent's own folder names replaced in every text. */
function replaceDeep<T>(value: T, resolve: (text: string) => string): T {
  if (typeof value === "string") return resolve(value) as T;
  if (Array.isArray(value)) return value.map((one) => replaceDeep(one, resolve)) as T;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaceDeep(one, resolve)])) as T;
}

/** The server, or what is wrong with it. */
function serverOf(written: Readonly<Record<string, unknown>>): McpServerValue | string {
  const [command, ...args] = commandOf(written);
  const httpUrl = textIn(written, "httpUrl", "serverUrl");
  const url = httpUrl ?? textIn(written, "url");
  if (command === undefined && url === undefined) return 'it needs a "command" or a "url"';
  const env = textsIn(written, "env", "environment");
  const headers = headersOf(written);
  const timeoutMs = milliseconds(written, "timeout", "tool_timeout_sec");
  const startTimeoutMs = milliseconds(written, "startupTimeout", "startup_timeout_sec");
  const enabled = enabledIn(written);
  const { oauth } = written;
  const include = listIn(written, "includeTools", "enabled_tools");
  const exclude = listIn(written, "excludeTools", "disabled_tools");
  return {
    transport: command !== undefined ? "stdio" : transportOf(written, httpUrl),
    ...(command === undefined ? { url } : { command, ...(args.length === 0 ? {} : { args }) }),
    ...(env ? { env } : {}),
    ...(typeof written["cwd"] === "string" ? { cwd: written["cwd"] } : {}),
    ...(headers ? { headers } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(isJsonObject(oauth) || oauth === false ? { oauth } : {}),
    ...(written["sampling"] === true ? { sampling: true } : {}),
    ...(include ? { includeTools: include } : {}),
    ...(exclude ? { excludeTools: exclude } : {}),
  } as McpServerValue;
}

/** Codex gives names of variables instead of values; this rewrites them in the form other agents use. */
function headersOf(written: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> | undefined {
  const bearer = textIn(written, "bearer_token_env_var");
  const fromEnv = Object.entries(textsIn(written, "env_http_headers") ?? {});
  const headers = {
    ...textsIn(written, "headers", "http_headers"),
    ...Object.fromEntries(fromEnv.map(([name, variable]) => [name, `\${${variable}}`])),
    ...(bearer === undefined ? {} : { Authorization: `Bearer \${${bearer}}` }),
  };
  return Object.keys(headers).length > 0 ? headers : undefined;
}

/** `command` with `args`, or both in one list. */
function commandOf({ command, args }: Readonly<Record<string, unknown>>): readonly string[] {
  if (Array.isArray(command)) return command.map(String);
  if (typeof command !== "string" || command === "") return [];
  return [command, ...(Array.isArray(args) ? args.map(String) : [])];
}

function transportOf(written: Readonly<Record<string, unknown>>, httpUrl: string | undefined): "http" | "sse" {
  const type = textIn(written, "type", "transport") ?? "";
  if (/sse/i.test(type)) return "sse";
  if (/http/i.test(type) || httpUrl !== undefined) return "http";
  return /\/sse\/?$/.test(textIn(written, "url") ?? "") ? "sse" : "http";
}

function enabledIn({ enabled, disabled }: Readonly<Record<string, unknown>>): boolean | undefined {
  if (typeof enabled === "boolean") return enabled;
  return typeof disabled === "boolean" ? !disabled : undefined;
}

function textIn(written: Readonly<Record<string, unknown>>, ...keys: readonly string[]): string | undefined {
  return keys.map((key) => written[key]).find((value) => typeof value === "string" && value !== "") as
    | string
    | undefined;
}

function listIn(written: Readonly<Record<string, unknown>>, ...keys: readonly string[]): readonly string[] | undefined {
  const list = keys.map((key) => written[key]).find((value) => Array.isArray(value)) as unknown[] | undefined;
  return list?.map(String);
}

function textsIn(
  written: Readonly<Record<string, unknown>>,
  ...keys: readonly string[]
): Readonly<Record<string, string>> | undefined {
  const record = keys.map((key) => written[key]).find(isJsonObject);
  if (!record) return undefined;
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  );
}

/** Fields that end in `_sec` are in seconds, the others in milliseconds. */
function milliseconds(written: Readonly<Record<string, unknown>>, ...keys: readonly string[]): number | undefined {
  const key = keys.find((one) => typeof written[one] === "number" && written[one] > 0);
  return key === undefined ? undefined : (written[key] as number) * (key.endsWith("_sec") ? 1000 : 1);
}
