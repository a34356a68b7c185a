// Cursor: `~/.cursor` and the nearest `.cursor` of the project.

import { dirname, join } from "node:path";
import { AGENT_PLACES } from "../agent-places.ts";
import type { Frontmatter } from "../frontmatter.ts";
import { everyHome, foldersOf, inHomes } from "../homes.ts";
import { hooksIn } from "../hook-files.ts";
import { markdownFolder, oldRuleFile, skillFolder } from "../layouts.ts";
import { mcpServersIn } from "../mcp-servers.ts";
import type { Provider, Scan } from "../search.ts";

const FOLDERS = foldersOf(AGENT_PLACES.cursor);

export const cursor: Provider = {
  id: "cursor",
  name: "Cursor",
  priority: 50,
  loaders: {
    rule: async (search) => {
      await folderRules(search);
      oldRuleFile(search, AGENT_PLACES.cursor.project[1]);
    },
    command: inHomes(FOLDERS, "user", (search, { path, level }) =>
      markdownFolder(search, `${path}/commands`, level, { nested: true }),
    ),
    agent: inHomes(FOLDERS, "project", (search, { path, level }) =>
      markdownFolder(search, `${path}/agents`, level, { renames: true }),
    ),
    skill: (search) => {
      for (const { path, level } of everyHome(search, FOLDERS)) skillFolder(search, `${path}/skills`, level);
    },
    "mcp-server": inHomes(FOLDERS, "project", (search, { path, level }) =>
      mcpServersIn(search, `${path}/mcp.json`, level),
    ),
    hook: inHomes(FOLDERS, "user", (search, { path, level }) => {
      // A project's hooks run in the folder of the project, the user's in the folder of the file.
      const cwd = level === "project" ? dirname(path) : path;
      const resolve = wholePaths(search, [cwd, path]);
      hooksIn(search, { path: `${path}/hooks.json`, level, timeoutUnit: "seconds", cwd, resolve });
    }),
  },
};

const folderRules = inHomes<"rule">(FOLDERS, "user", (search, { path, level }) =>
  markdownFolder(search, `${path}/rules`, level, { endings: [".mdc", ".md"], nested: true, translate: appliesOnly }),
);

/**
 * Resolves words of a command that name a file relative to one of these folders; some authors write them relative to
 * `.cursor`.
 */
const wholePaths =
  (search: Scan, folders: readonly string[]) =>
  (command: string): string =>
    command.replaceAll(/(?<=^|[\s"'=])(?:\.\/)?[\w.-]+(?:\/[\w.-]+)+/g, (word) => {
      const paths = folders.map((folder) => join(folder, word));
      return paths.find((path) => search.files.isFile(path)) ?? word;
    });

/** G-93: any other value, such as `false`, is left out. Patterns may be in one text, separated by commas. */
function appliesOnly({ alwaysApply, globs, ...rest }: Frontmatter): Frontmatter {
  const patterns = typeof globs === "string" ? globs.split(/,(?![^{]*\})/).map((glob) => glob.trim()) : globs;
  const known = Array.isArray(patterns) ? patterns.filter((glob) => typeof glob === "string" && glob !== "") : [];
  return { ...rest, ...(known.length > 0 ? { globs: known } : {}), ...(alwaysApply === true ? { alwaysApply } : {}) };
}
