// Formats of Gemini CLI: commands as TOML files, and extensions, which are folders with a manifest and items of many
// kinds.

import type { Home } from "./homes.ts";
import { type HookFile, hooksIn } from "./hook-files.ts";
import { skillFolder, textFile } from "./layouts.ts";
import { addServers } from "./mcp-servers.ts";
import type { Scan, Search } from "./search.ts";
import { readJson, readToml, type Structured } from "./structured.ts";
import type { Level } from "./types.ts";

/** `commands/git/commit.toml` becomes `git:commit`. */
export async function tomlCommands(
  search: Search<"command">,
  folder: string,
  level: Level,
  prefix = "",
): Promise<void> {
  for (const { path, base } of search.filesIn(folder, [".toml"])) {
    const read = await readToml(search, path, level);
    if (!read) continue;
    const { prompt, ...frontmatter } = read.value;
    if (typeof prompt === "string")
      search.add(prefix + base, { level, path }, { frontmatter, body: prompt.trim(), folder });
    else search.warn(path, 'it has no "prompt"');
  }
  for (const { name, path, isFolder } of search.files.entries(folder))
    if (isFolder) await tomlCommands(search, path, level, `${prefix}${name}:`);
}

interface GeminiExtension {
  readonly name: string;
  readonly root: string;
  /** The manifest's path. */
  readonly path: string;
  readonly level: Level;
  readonly manifest: Structured;
}

/** Extensions in `extensions/<name>/` of a folder. Those in a project count as the project's. */
function extensionsIn(search: Scan, { path: home, level }: Home): readonly GeminiExtension[] {
  return search.files.entries(`${home}/extensions`).flatMap(({ path: root, name: folder, isFolder }) => {
    const path = `${root}/gemini-extension.json`;
    const manifest = isFolder ? readJson(search, path, level) : undefined;
    if (!manifest) return [];
    const { name } = manifest.value;
    const owner = level === "project" ? "project" : "plugin";
    return [{ name: typeof name === "string" && name !== "" ? name : folder, root, path, level: owner, manifest }];
  });
}

export const ofExtensions = {
  plugin: (search: Search<"plugin">, home: Home): void => {
    for (const { name, root, path, level, manifest } of extensionsIn(search, home)) {
      const { version, description } = manifest.value;
      search.add(
        name,
        { level, path },
        {
          root,
          ...(typeof version === "string" ? { version } : {}),
          ...(typeof description === "string" ? { description } : {}),
        },
      );
    }
  },
  command: async (search: Search<"command">, home: Home): Promise<void> => {
    for (const { name, root, level } of extensionsIn(search, home))
      await tomlCommands(search, `${root}/commands`, level, `${name}:`);
  },
  skill: (search: Search<"skill">, home: Home): void => {
    for (const { name, root, level } of extensionsIn(search, home))
      skillFolder(search, `${root}/skills`, level, `${name}:`);
  },
  "context-file": (search: Search<"context-file">, home: Home): void => {
    for (const { root, level, manifest } of extensionsIn(search, home)) {
      const { contextFileName = "GEMINI.md" } = manifest.value;
      for (const name of Array.isArray(contextFileName) ? contextFileName : [contextFileName])
        if (typeof name === "string") textFile(search, `${root}/${name}`, level);
    }
  },
  hook: (search: Search<"hook">, home: Home): void => {
    for (const { root, level } of extensionsIn(search, home)) {
      const file: HookFile = {
        path: `${root}/hooks/hooks.json`,
        level,
        timeoutUnit: "milliseconds",
        resolve: inRoot(root),
      };
      hooksIn(search, file);
    }
  },
  "mcp-server": (search: Search<"mcp-server">, home: Home): void => {
    for (const { root, path, level, manifest } of extensionsIn(search, home))
      addServers(search, { path, level }, manifest, ["mcpServers"], inRoot(root));
  },
};

const inRoot =
  (root: string) =>
  (text: string): string =>
    text.replaceAll(/\$\{extensionPath\}/g, () => root).replaceAll(/\$\{\/\}/g, "/");
