// Plugins that Claude Code has installed from marketplaces.

import { isJsonObject } from "@lathe/llm";
import { type InstalledPlugin, pluginLoaders } from "../plugin-files.ts";
import type { Provider, Scan } from "../search.ts";
import { readJson } from "../structured.ts";
import { claudeHome } from "./claude.ts";

export const claudePlugins: Provider = {
  id: "claude-plugins",
  name: "Claude Code plugins",
  priority: 70,
  loaders: pluginLoaders(installedPlugins),
};

/** The plugins that are enabled, for all projects or for this one. */
function installedPlugins(search: Scan): readonly InstalledPlugin[] {
  const home = claudeHome(search);
  const plugins = readJson(search, `${home}/plugins/installed_plugins.json`, "user")?.value["plugins"];
  if (!isJsonObject(plugins)) return [];
  const enabled = readJson(search, `${home}/settings.json`, "user")?.value["enabledPlugins"];
  return Object.entries(plugins).flatMap(([id, written]) => {
    if (isJsonObject(enabled) && enabled[id] === false) return [];
    const entries = (Array.isArray(written) ? written : [written]).filter(isJsonObject);
    const here = entries.find(({ projectPath }) => isHere(search, projectPath));
    const { installPath, version } = here ?? {};
    if (typeof installPath !== "string") return [];
    const name = id.split("@")[0] ?? id;
    return [{ name, root: installPath, ...(typeof version === "string" ? { version } : {}) }];
  });
}

const isHere = ({ place }: Scan, projectPath: unknown): boolean =>
  typeof projectPath !== "string" || projectPath === place.cwd || place.folders.includes(projectPath);
