// Reads language servers from files: lsp.json and its variants, and those that plugins of Claude Code bring. Files
// change a server of the same name field by field, so none shadows another.

import { isJsonObject } from "@lathe/llm";
import { LSP_FILES } from "./agent-places.ts";
import type { Search } from "./search.ts";
import { readJson, readYamlFile, type Structured } from "./structured.ts";
import type { Level, LspServerValue } from "./types.ts";

/** Key for settings of all servers in a file. */
const EVERY_SERVER = "*";

interface FileOfServers {
  readonly path: string;
  readonly level: Level;
  /** Prefix of each name. */
  readonly prefix?: string;
  /** Replaces folder names in texts. */
  readonly resolve?: (text: string) => string;
}

/** Reads all such files of a folder. */
export async function lspServersIn(search: Search<"lsp-server">, folder: string, level: Level): Promise<void> {
  for (const name of LSP_FILES) {
    const path = `${folder}/${name}`;
    const read = name.endsWith(".json") ? readJson(search, path, level) : await readYamlFile(search, path, level);
    if (!read) continue;
    const { idleTimeoutMs, $schema: _, servers, ...bare } = read.value;
    if (typeof idleTimeoutMs === "number") search.add(EVERY_SERVER, { level, path }, { idleMs: idleTimeoutMs });
    addLspServers(
      search,
      { path, level },
      read,
      servers === undefined ? bare : servers,
      servers === undefined ? [] : ["servers"],
    );
  }
}

/** Reads a plugin's `.lsp.json`, and the servers that its manifest contains or names as `lspServers`. */
export function lspServersOfPlugin(
  search: Search<"lsp-server">,
  name: string,
  root: string,
  inRoot: (text: string) => string,
): void {
  const about = { level: "plugin", prefix: `${name}:`, resolve: inRoot } as const;
  const manifest = `${root}/.claude-plugin/plugin.json`;
  const read = readJson(search, manifest, "plugin");
  const named = read?.value["lspServers"];
  if (read && isJsonObject(named)) addLspServers(search, { ...about, path: manifest }, read, named, ["lspServers"]);
  const files = [".lsp.json", ...(Array.isArray(named) ? named : [named]).filter((one) => typeof one === "string")];
  for (const path of new Set(files.map((one) => `${root}/${one.replace(/^\.\//, "")}`))) {
    const found = path.includes("/../") ? undefined : readJson(search, path, "plugin");
    if (!found) continue;
    const key = ["lspServers", "servers"].find((one) => isJsonObject(found.value[one]));
    addLspServers(
      search,
      { ...about, path },
      found,
      key === undefined ? found.value : found.value[key],
      key === undefined ? [] : [key],
    );
  }
}

type Kind = "text" | "texts" | "flag" | "object" | "number" | "languages" | "variables" | "ignored";

/** Maps the fields of a file to ours. The second half are Claude Code's. */
const FIELDS: Readonly<Record<string, readonly [field: keyof LspServerValue | "", kind: Kind]>> = {
  command: ["command", "text"],
  args: ["args", "texts"],
  fileTypes: ["fileTypes", "texts"],
  rootMarkers: ["rootMarkers", "texts"],
  initOptions: ["initOptions", "object"],
  settings: ["settings", "object"],
  disabled: ["isDisabled", "flag"],
  isLinter: ["isLinter", "flag"],
  warmupTimeoutMs: ["startTimeoutMs", "number"],
  capabilities: ["extras", "object"],
  env: ["env", "variables"],
  extensionToLanguage: ["languages", "languages"],
  initializationOptions: ["initOptions", "object"],
  startupTimeout: ["startTimeoutMs", "number"],
  transport: ["", "ignored"],
  workspaceFolder: ["", "ignored"],
  shutdownTimeout: ["", "ignored"],
  restartOnCrash: ["", "ignored"],
  maxRestarts: ["", "ignored"],
  loggingConfig: ["", "ignored"],
};

const isTexts = (value: unknown): boolean =>
  isJsonObject(value) && Object.values(value).every((one) => typeof one === "string");

const FITS: Readonly<Record<Kind, readonly [wanted: string, fits: (value: unknown) => boolean]>> = {
  text: ["a text", (value) => typeof value === "string" && value !== ""],
  texts: ["a list of texts", (value) => Array.isArray(value) && value.every((one) => typeof one === "string")],
  flag: ["true or false", (value) => typeof value === "boolean"],
  object: ["an object", isJsonObject],
  number: ["a number", (value) => typeof value === "number"],
  languages: ["an object of texts", isTexts],
  variables: ["an object of texts", isTexts],
  ignored: ["", () => true],
};

function addLspServers(
  search: Search<"lsp-server">,
  { path, level, prefix = "", resolve = (text) => text }: FileOfServers,
  read: Structured,
  servers: unknown,
  keys: readonly string[],
): void {
  if (!isJsonObject(servers)) {
    search.warn(path, '"servers" must be an object', read.lineOf(keys));
    return;
  }
  for (const [name, written] of Object.entries(servers)) {
    const warn = (message: string, ...key: string[]): void =>
      search.warn(path, `language server ${name}: ${message}`, read.lineOf([...keys, name, ...key]));
    const value = isJsonObject(written) ? serverFrom(written, resolve, warn) : warn("it must be an object");
    if (value) search.add(`${prefix}${name}`, { level, path, line: () => read.lineOf([...keys, name]) }, value);
  }
}

/** Undefined, with a warning, if something is wrong with the entry. */
function serverFrom(
  written: Readonly<Record<string, unknown>>,
  resolve: (text: string) => string,
  warn: (message: string, ...key: string[]) => void,
): LspServerValue | undefined {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(written)) {
    const [field, kind] = FIELDS[key] ?? [];
    if (field === undefined || kind === undefined) return void warn(`${key} is not known`, key);
    const [wanted, fits] = FITS[kind];
    if (!fits(value)) return void warn(`${key} must be ${wanted}`, key);
    if (key === "transport" && value !== "stdio") return void warn("only the transport stdio is supported", key);
    if (field !== "") fields[field] = deepResolve(value, resolve);
  }
  return fields;
}

function deepResolve(value: unknown, resolve: (text: string) => string): unknown {
  if (typeof value === "string") return resolve(value);
  if (Array.isArray(value)) return value.map((one) => deepResolve(one, resolve));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, deepResolve(one, resolve)]));
}
