// Claude Code: `~/.claude` (or CLAUDE_CONFIG_DIR), the project's nearest `.claude`, and the servers in
// `~/.claude.json`.

import { AGENT_PLACES } from "../agent-places.ts";
import type { Frontmatter } from "../frontmatter.ts";
import { everyHome, foldersOf, inHomes } from "../homes.ts";
import { hooksIn } from "../hook-files.ts";
import { firstFile, markdownFolder, moduleFolder, skillFolder, textFile } from "../layouts.ts";
import { addServers } from "../mcp-servers.ts";
import type { Provider, Search } from "../search.ts";
import { readJson } from "../structured.ts";
import { systemPrompts } from "../system-prompts.ts";
import { unsupportedFiles } from "../unsupported.ts";

const FOLDERS = foldersOf(AGENT_PLACES.claude);
export const claudeHome = FOLDERS.user;
const [, STATE_FILE] = AGENT_PLACES.claude.user;

export const claude: Provider = {
  id: "claude",
  name: "Claude Code",
  priority: 80,
  loaders: {
    "context-file": (search) => {
      textFile(search, `${claudeHome(search)}/CLAUDE.md`, "user");
      for (const folder of search.place.folders)
        for (const name of ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"])
          textFile(search, `${folder}/${name}`, "project", { name, family: "anthropic" });
    },
    "system-prompt": (search) => systemPrompts(search, FOLDERS),
    command: inHomes(FOLDERS, "user", (search, { path, level }) =>
      markdownFolder(search, `${path}/commands`, level, { nested: true }),
    ),
    skill: (search) => {
      for (const { path, level } of [...everyHome(search, FOLDERS)].reverse())
        skillFolder(search, `${path}/skills`, level);
    },
    rule: inHomes(FOLDERS, "project", (search, { path, level }) =>
      markdownFolder(search, `${path}/rules`, level, { nested: true, translate: ruleScope }),
    ),
    agent: inHomes(FOLDERS, "project", (search, { path, level }) =>
      markdownFolder(search, `${path}/agents`, level, { nested: true, renames: true }),
    ),
    "mcp-server": servers,
    hook: inHomes(FOLDERS, "user", (search, { path, level }) => {
      for (const name of level === "user" ? ["settings.json"] : ["settings.json", "settings.local.json"])
        hooksIn(search, { path: `${path}/${name}`, level, timeoutUnit: "seconds" });
    }),
    tool: inHomes(FOLDERS, "project", (search, { path, level }) =>
      moduleFolder(search, `${path}/tools`, level, [".ts", ".js"], (one, folder) =>
        firstFile(one, folder, ["index.ts", "index.js"]),
      ),
    ),
    unsupported: (search) =>
      unsupportedFiles(search, FOLDERS, {
        "output-styles": "say it in .lathe/APPEND_SYSTEM.md, or replace the prompt with .lathe/SYSTEM.md",
      }),
    settings: inHomes(FOLDERS, "user", (search, { path, level }) => {
      for (const name of ["settings.json", "settings.local.json"]) {
        const read = readJson(search, `${path}/${name}`, level);
        if (read) search.add(name, { level, path: `${path}/${name}` }, { settings: read.value });
      }
    }),
  },
};

/** `paths` names the files a rule applies to; without it the rule applies to all. */
export function ruleScope({ paths, ...rest }: Frontmatter): Frontmatter {
  return paths === undefined ? { alwaysApply: true, ...rest } : { globs: paths, ...rest };
}

/** Servers of this project only come first, as in Claude Code. */
function servers(search: Search<"mcp-server">): void {
  const { place } = search;
  const path = `${place.env[AGENT_PLACES.claude.movedBy] ? claudeHome(search) : place.userHome}/${STATE_FILE}`;
  const read = readJson(search, path, "user");
  if (!read) return;
  for (const folder of new Set([...place.folders, place.cwd]))
    addServers(search, { path, level: "user" }, read, ["projects", folder, "mcpServers"]);
  addServers(search, { path, level: "user" }, read, ["mcpServers"]);
}
