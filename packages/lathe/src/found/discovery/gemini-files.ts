// Formats of Gemini CLI: commands as TOML files, and extensions, which are folders with a manifest and items of many
// kinds.

import type { Home } from "./homes.ts";
import { type HookFile, hooksIn } from "./hook-files.ts";
import { skillFolder, textFile } from "./layouts.ts";
import type { Look, Scan } from "./look.ts";
import { addServers } from "./mcp-servers.ts";
import { readJson, readToml, type Structured } from "./structured.ts";
import type { Level } from "./types.ts";

/** `commands/git/commit.toml` becomes `git:commit`. */
export async function tomlCommands(look: Look<"command">, folder: string, level: Level, prefix = ""): Promise<void> {
  for (const { path, base } of look.filesIn(folder, [".toml"])) {
    const read = await readToml(look, path, level);
    if (!read) continue;
    const { prompt, ...frontmatter } = read.value;
    if (typeof prompt === "string")
      look.add(prefix + base, { level, path }, { frontmatter, body: prompt.trim(), folder });
    else look.warn(path, 'it has no "prompt"');
  }
  for (const { name, path, isFolder } of look.files.entries(folder))
    if (isFolder) await tomlCommands(look, path, level, `${prefix}${name}:`);
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
function extensionsIn(look: Scan, { path: home, level }: Home): readonly GeminiExtension[] {
  return look.files.entries(`${home}/extensions`).flatMap(({ path: root, name: folder, isFolder }) => {
    const path = `${root}/gemini-extension.json`;
    const manifest = isFolder ? readJson(look, path, level) : undefined;
    if (!manifest) return [];
    const { name } = manifest.value;
    const owner = level === "project" ? "project" : "plugin";
    return [{ name: typeof name === "string" && name !== "" ? name : folder, root, path, level: owner, manifest }];
  });
}

export const ofExtensions = {
  plugin: (look: Look<"plugin">, home: Home): void => {
    for (const { name, root, path, level, manifest } of extensionsIn(look, home)) {
      const { version, description } = manifest.value;
      look.add(
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
  command: async (look: Look<"command">, home: Home): Promise<void> => {
    for (const { name, root, level } of extensionsIn(look, home))
      await tomlCommands(look, `${root}/commands`, level, `${name}:`);
  },
  skill: (look: Look<"skill">, home: Home): void => {
    for (const { name, root, level } of extensionsIn(look, home))
      skillFolder(look, `${root}/skills`, level, `${name}:`);
  },
  "context-file": (look: Look<"context-file">, home: Home): void => {
    for (const { root, level, manifest } of extensionsIn(look, home)) {
      const { contextFileName = "GEMINI.md" } = manifest.value;
      for (const name of Array.isArray(contextFileName) ? contextFileName : [contextFileName])
        if (typeof name === "string") textFile(look, `${root}/${name}`, level);
    }
  },
  hook: (look: Look<"hook">, home: Home): void => {
    for (const { root, level } of extensionsIn(look, home)) {
      const file: HookFile = {
        path: `${root}/hooks/hooks.json`,
        level,
        timeoutUnit: "milliseconds",
        resolve: inRoot(root),
      };
      hooksIn(look, file);
    }
  },
  "mcp-server": (look: Look<"mcp-server">, home: Home): void => {
    for (const { root, path, level, manifest } of extensionsIn(look, home))
      addServers(look, { path, level }, manifest, ["mcpServers"], inRoot(root));
  },
};

const inRoot =
  (root: string) =>
  (text: string): string =>
    text.replaceAll(/\$\{extensionPath\}/g, () => root).replaceAll(/\$\{\/\}/g, "/");
