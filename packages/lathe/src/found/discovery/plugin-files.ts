// The layout of a plugin, which Claude Code's and ours share: a folder with commands, skills, agents, hooks, servers,
// tools and extensions. Items that the user calls by name get the plugin's name as a prefix.

import { join } from "node:path";
import { isJsonObject } from "@lathe/llm";
import { addEvents } from "./hook-files.ts";
import { addSkill, firstFile, markdownFolder, moduleFolder, skillFolder } from "./layouts.ts";
import { lspServersOfPlugin } from "./lsp-servers.ts";
import { addServers } from "./mcp-servers.ts";
import type { Provider, Scan, Search } from "./search.ts";
import { readJson } from "./structured.ts";

export interface InstalledPlugin {
  readonly name: string;
  readonly root: string;
  readonly version?: string;
}

/** Marks a manifest that we wrote from a marketplace's list: several plugins may share one folder. */
export const ONLY_LISTED = "onlyListed";

const CODE_ENDINGS = [".ts", ".js", ".mts", ".mjs"];

/** Loads everything that the installed plugins contain. */
export function pluginLoaders(installed: (search: Scan) => readonly InstalledPlugin[]): Provider["loaders"] {
  return {
    plugin: (search) => {
      for (const { name, root, version } of installed(search)) {
        const path = `${root}/.claude-plugin/plugin.json`;
        const description = readJson(search, path, "plugin")?.value["description"];
        search.add(
          name,
          { level: "plugin", path },
          {
            root,
            ...(version === undefined ? {} : { version }),
            ...(typeof description === "string" ? { description } : {}),
          },
        );
      }
    },
    command: (search) => {
      for (const { name, root } of installed(search))
        for (const folder of foldersOf(search, root, "commands"))
          markdownFolder(search, folder, "plugin", { nested: true, resolve: inRoot(root) }, `${name}:`);
    },
    agent: (search) => {
      for (const { name, root } of installed(search))
        for (const folder of foldersOf(search, root, "agents"))
          markdownFolder(search, folder, "plugin", { renames: true, resolve: inRoot(root) }, `${name}:`);
    },
    skill: (search) => {
      for (const { name, root } of installed(search))
        for (const folder of foldersOf(search, root, "skills")) {
          // A manifest may name the folder of a single skill.
          addSkill(search, folder, "plugin", `${name}:`, inRoot(root));
          skillFolder(search, folder, "plugin", `${name}:`, inRoot(root));
        }
    },
    hook: (search) => {
      for (const { root } of installed(search)) pluginHooks(search, root);
    },
    "mcp-server": (search) => {
      for (const { root } of installed(search))
        for (const path of [`${root}/.mcp.json`, `${root}/.claude-plugin/plugin.json`]) {
          const read = readJson(search, path, "plugin");
          if (!read) continue;
          // Some files list the servers without the enclosing key.
          const isBare = path.endsWith(".mcp.json") && !isJsonObject(read.value["mcpServers"]);
          addServers(search, { path, level: "plugin" }, read, isBare ? [] : ["mcpServers"], inRoot(root));
        }
    },
    "lsp-server": (search) => {
      for (const { name, root } of installed(search)) lspServersOfPlugin(search, name, root, inRoot(root));
    },
    tool: (search) => {
      for (const { root } of installed(search))
        moduleFolder(search, `${root}/tools`, "plugin", CODE_ENDINGS, (one, folder) =>
          firstFile(one, folder, ["index.ts", "index.js"]),
        );
    },
    extension: (search) => {
      for (const { name, root } of installed(search))
        for (const entry of extensionEntries(search, root))
          search.add(name, { level: "plugin", path: entry }, { entry, folder: root });
    },
  };
}

/** The entries that its package.json names. */
export function extensionEntries(search: Scan, folder: string): readonly string[] {
  const manifest = readJson(search, `${folder}/package.json`, "user")?.value ?? {};
  for (const own of [manifest["lathe"], manifest["omp"], manifest["pi"]]) {
    const listed = isJsonObject(own) ? own["extensions"] : undefined;
    if (Array.isArray(listed))
      return listed.flatMap((name) => {
        const entry = typeof name === "string" ? join(folder, name) : "";
        if (entry.startsWith(`${folder}/`)) return [entry];
        search.warn(
          `${folder}/package.json`,
          `the extension ${JSON.stringify(name)} is outside of its folder and is left out`,
        );
        return [];
      });
  }
  return [];
}

const inRoot =
  (root: string) =>
  (text: string): string =>
    text.replaceAll(/\$(?:\{(?:CLAUDE|LATHE)_PLUGIN_ROOT\}|(?:CLAUDE|LATHE)_PLUGIN_ROOT\b)/g, () => root);

/**
 * Hooks in `hooks/hooks.json`, with or without the enclosing key `hooks`, and those in the manifest: file names, or
 * hooks themselves.
 */
function pluginHooks(search: Search<"hook">, root: string): void {
  const manifest = `${root}/.claude-plugin/plugin.json`;
  const about = { level: "plugin", timeoutUnit: "seconds", resolve: inRoot(root), root } as const;
  const named = readJson(search, manifest, "plugin")?.value["hooks"];
  const files = (Array.isArray(named) ? named : [named]).filter((one) => typeof one === "string");
  const paths = ["hooks/hooks.json", ...files]
    .map((one) => join(root, one))
    .filter((one) => one.startsWith(`${root}/`));
  for (const path of new Set(paths)) {
    const read = readJson(search, path, "plugin");
    if (!read) continue;
    const { hooks, disableAllHooks, ...bare } = read.value;
    if (disableAllHooks === true) continue;
    if (hooks !== undefined && !isJsonObject(hooks)) search.warn(path, '"hooks" must be an object of events');
    else addEvents(search, { ...about, path }, read, hooks ?? onlyLists(bare));
  }
  const read = isJsonObject(named) ? readJson(search, manifest, "plugin") : undefined;
  if (read) addEvents(search, { ...about, path: manifest }, read, isJsonObject(named) && (named["hooks"] ?? named));
}

/** Such a file may have a description next to its events. */
const onlyLists = (events: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(events).filter(([, groups]) => Array.isArray(groups)));

/** The plugin's own folder and those that its manifest names; only the latter if the marketplace's list says so. */
function foldersOf(search: Scan, root: string, kind: "commands" | "agents" | "skills"): readonly string[] {
  const manifest = readJson(search, `${root}/.claude-plugin/plugin.json`, "plugin")?.value ?? {};
  const more = manifest[kind];
  const named = (Array.isArray(more) ? more : [more]).filter((one) => typeof one === "string");
  const below = [...(manifest[ONLY_LISTED] === true ? [] : [kind]), ...named].map((one) =>
    join(root, one).replace(/\/$/, ""),
  );
  return [...new Set(below.filter((folder) => folder === root || folder.startsWith(`${root}/`)))];
}
