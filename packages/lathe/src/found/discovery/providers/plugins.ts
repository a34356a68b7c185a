// Plugins that `lathe plugin add` has installed.

import { isJsonObject } from "@lathe/llm";
import { latheFile } from "../agent-places.ts";
import { type InstalledPlugin, pluginLoaders } from "../plugin-files.ts";
import type { Provider, Scan } from "../search.ts";
import { readJson } from "../structured.ts";

export const plugins: Provider = {
  id: "plugins",
  name: "Lathe plugins",
  priority: 90,
  loaders: pluginLoaders(installedPlugins),
};

function installedPlugins(search: Scan): readonly InstalledPlugin[] {
  const folder = latheFile(search.place.latheHome, "plugins");
  const listed = readJson(search, `${folder}/installed.json`, "user")?.value["plugins"];
  return Object.entries(isJsonObject(listed) ? listed : {}).flatMap(([name, entry]) => {
    if (!isJsonObject(entry) || entry["enabled"] === false) return [];
    const { version } = entry;
    return [{ name, root: `${folder}/${name}`, ...(typeof version === "string" ? { version } : {}) }];
  });
}
