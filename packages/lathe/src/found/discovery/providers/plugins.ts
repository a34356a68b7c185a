// What `lathe plugin add` has installed.

import type { Provider, Scan } from "../look.ts";
import { type InstalledPlugin, pluginLoaders } from "../plugin-files.ts";
import { isRecord, readJson } from "../structured.ts";

export const plugins: Provider = {
  id: "plugins",
  name: "Lathe plugins",
  priority: 90,
  loaders: pluginLoaders(installedPlugins),
};

function installedPlugins(look: Scan): readonly InstalledPlugin[] {
  const folder = `${look.place.latheHome}/plugins`;
  const listed = readJson(look, `${folder}/installed.json`, "user")?.value["plugins"];
  return Object.entries(isRecord(listed) ? listed : {}).flatMap(([name, entry]) => {
    if (!isRecord(entry) || entry["enabled"] === false) return [];
    const { version } = entry;
    return [{ name, root: `${folder}/${name}`, ...(typeof version === "string" ? { version } : {}) }];
  });
}
