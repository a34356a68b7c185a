// What Claude Code has installed from marketplaces: each plugin is a folder with commands, skills, agents, hooks and servers, whose
// names begin with the plugin's.

import { hooksIn } from "../hook-files.ts";
import { markdownFolder, skillFolder } from "../layouts.ts";
import type { Provider, Scan } from "../look.ts";
import { addServers } from "../mcp-servers.ts";
import { isRecord, readJson } from "../structured.ts";
import { claudeHome } from "./claude.ts";

interface Installed {
  readonly name: string;
  readonly root: string;
  readonly version?: string;
}

export const claudePlugins: Provider = {
  id: "claude-plugins",
  name: "Claude Code plugins",
  priority: 70,
  loaders: {
    plugin: (look) => {
      for (const { name, root, version } of installed(look)) {
        const path = `${root}/.claude-plugin/plugin.json`;
        const description = readJson(look, path, "plugin")?.value["description"];
        look.add(
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
    command: (look) => {
      for (const { name, root } of installed(look))
        for (const folder of foldersOf(look, root, "commands"))
          markdownFolder(look, folder, "plugin", { nested: true }, `${name}:`);
    },
    agent: (look) => {
      for (const { name, root } of installed(look))
        for (const folder of foldersOf(look, root, "agents"))
          markdownFolder(look, folder, "plugin", { renames: true }, `${name}:`);
    },
    skill: (look) => {
      for (const { name, root } of installed(look))
        for (const folder of foldersOf(look, root, "skills")) skillFolder(look, folder, "plugin", `${name}:`);
    },
    hook: (look) => {
      for (const { root } of installed(look))
        hooksIn(look, {
          path: `${root}/hooks/hooks.json`,
          level: "plugin",
          timeoutUnit: "seconds",
          resolve: inRoot(root),
        });
    },
    "mcp-server": (look) => {
      for (const { root } of installed(look))
        for (const path of [`${root}/.mcp.json`, `${root}/.claude-plugin/plugin.json`]) {
          const read = readJson(look, path, "plugin");
          if (!read) continue;
          // Some write the servers without the key around them.
          const isBare = path.endsWith(".mcp.json") && !isRecord(read.value["mcpServers"]);
          addServers(look, { path, level: "plugin" }, read, isBare ? [] : ["mcpServers"], inRoot(root));
        }
    },
  },
};

const inRoot =
  (root: string) =>
  (text: string): string =>
    text.replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}/g, () => root);

/** The folder of its own, and those that its manifest names besides. */
function foldersOf(look: Scan, root: string, kind: "commands" | "agents" | "skills"): readonly string[] {
  const more = readJson(look, `${root}/.claude-plugin/plugin.json`, "plugin")?.value[kind];
  const named = (Array.isArray(more) ? more : [more]).filter((one) => typeof one === "string");
  return [...new Set([`${root}/${kind}`, ...named.map((one) => `${root}/${one.replace(/^\.\/|\/$/g, "")}`)])];
}

/** Those that are switched on, for everywhere or for this project. */
function installed(look: Scan): readonly Installed[] {
  const home = claudeHome(look);
  const plugins = readJson(look, `${home}/plugins/installed_plugins.json`, "user")?.value["plugins"];
  if (!isRecord(plugins)) return [];
  const enabled = readJson(look, `${home}/settings.json`, "user")?.value["enabledPlugins"];
  return Object.entries(plugins).flatMap(([id, written]) => {
    if (isRecord(enabled) && enabled[id] === false) return [];
    const entries = (Array.isArray(written) ? written : [written]).filter(isRecord);
    const here = entries.find(({ projectPath }) => isHere(look, projectPath));
    const { installPath, version } = here ?? {};
    if (typeof installPath !== "string") return [];
    const name = id.split("@")[0] ?? id;
    return [{ name, root: installPath, ...(typeof version === "string" ? { version } : {}) }];
  });
}

const isHere = ({ place }: Scan, projectPath: unknown): boolean =>
  typeof projectPath !== "string" || projectPath === place.cwd || place.folders.includes(projectPath);
