// Claude Code: `~/.claude` (or CLAUDE_CONFIG_DIR), the nearest `.claude` of the project, and the servers in `~/.claude.json`.

import { AGENT_PLACES } from "../agent-places.ts";
import type { Frontmatter } from "../frontmatter.ts";
import { everyHome, foldersOf, inHomes } from "../homes.ts";
import { hooksIn } from "../hook-files.ts";
import { firstFile, markdownFolder, moduleFolder, skillFolder, textFile } from "../layouts.ts";
import type { Look, Provider } from "../look.ts";
import { addServers } from "../mcp-servers.ts";
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
    "context-file": (look) => {
      textFile(look, `${claudeHome(look)}/CLAUDE.md`, "user");
      for (const folder of look.place.folders)
        for (const name of ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"])
          textFile(look, `${folder}/${name}`, "project", { name, family: "anthropic" });
    },
    "system-prompt": (look) => systemPrompts(look, FOLDERS),
    command: inHomes(FOLDERS, "user", (look, { path, level }) =>
      markdownFolder(look, `${path}/commands`, level, { nested: true }),
    ),
    skill: (look) => {
      for (const { path, level } of [...everyHome(look, FOLDERS)].reverse()) skillFolder(look, `${path}/skills`, level);
    },
    rule: inHomes(FOLDERS, "project", (look, { path, level }) =>
      markdownFolder(look, `${path}/rules`, level, { nested: true, translate: ruleScope }),
    ),
    agent: inHomes(FOLDERS, "project", (look, { path, level }) =>
      markdownFolder(look, `${path}/agents`, level, { nested: true, renames: true }),
    ),
    "mcp-server": servers,
    hook: inHomes(FOLDERS, "user", (look, { path, level }) => {
      for (const name of level === "user" ? ["settings.json"] : ["settings.json", "settings.local.json"])
        hooksIn(look, { path: `${path}/${name}`, level, timeoutUnit: "seconds" });
    }),
    tool: inHomes(FOLDERS, "project", (look, { path, level }) =>
      moduleFolder(look, `${path}/tools`, level, [".ts", ".js"], (one, folder) =>
        firstFile(one, folder, ["index.ts", "index.js"]),
      ),
    ),
    unsupported: (look) =>
      unsupportedFiles(look, FOLDERS, {
        "output-styles": "say it in .lathe/APPEND_SYSTEM.md, or replace the prompt with .lathe/SYSTEM.md",
      }),
    settings: inHomes(FOLDERS, "user", (look, { path, level }) => {
      for (const name of ["settings.json", "settings.local.json"]) {
        const read = readJson(look, `${path}/${name}`, level);
        if (read) look.add(name, { level, path: `${path}/${name}` }, { settings: read.value });
      }
    }),
  },
};

/** `paths` names the files a rule applies to; without it the rule applies to all. */
export function ruleScope({ paths, ...rest }: Frontmatter): Frontmatter {
  return paths === undefined ? { alwaysApply: true, ...rest } : { globs: paths, ...rest };
}

/** Servers of this project only come first, as in Claude Code. */
function servers(look: Look<"mcp-server">): void {
  const { place } = look;
  const path = `${place.env[AGENT_PLACES.claude.movedBy] ? claudeHome(look) : place.userHome}/${STATE_FILE}`;
  const read = readJson(look, path, "user");
  if (!read) return;
  for (const folder of new Set([...place.folders, place.cwd]))
    addServers(look, { path, level: "user" }, read, ["projects", folder, "mcpServers"]);
  addServers(look, { path, level: "user" }, read, ["mcpServers"]);
}
