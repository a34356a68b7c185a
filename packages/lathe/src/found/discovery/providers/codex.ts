// Codex CLI: `~/.codex` (or CODEX_HOME) and the nearest `.codex` of the project.

import { AGENT_PLACES } from "../agent-places.ts";
import { everyHome, foldersOf, inHomes } from "../homes.ts";
import { addHooks, hooksIn } from "../hook-files.ts";
import { firstFile, markdownFolder, moduleFolder, skillFolder, textFile } from "../layouts.ts";
import { addServers } from "../mcp-servers.ts";
import type { Provider } from "../search.ts";
import { readToml } from "../structured.ts";
import { systemPrompts } from "../system-prompts.ts";

const FOLDERS = foldersOf(AGENT_PLACES.codex);

export const codex: Provider = {
  id: "codex",
  name: "Codex",
  priority: 70,
  loaders: {
    "context-file": (search) => {
      const [own] = firstFile(search, FOLDERS.user(search), ["AGENTS.override.md", "AGENTS.md"]);
      if (own !== undefined) textFile(search, own, "user");
      for (const folder of search.place.folders) {
        const name = `${FOLDERS.project}/instructions.md`;
        textFile(search, `${folder}/${name}`, "project", { name, family: "openai" });
      }
    },
    "system-prompt": (search) => systemPrompts(search, FOLDERS),
    command: inHomes(FOLDERS, "user", (search, { path, level }) =>
      markdownFolder(search, `${path}/prompts`, level, { renames: true }),
    ),
    skill: (search) => {
      for (const { path, level } of everyHome(search, FOLDERS)) skillFolder(search, `${path}/skills`, level);
    },
    agent: inHomes(FOLDERS, "project", async (search, { path: home, level }) => {
      for (const { path, base } of search.filesIn(`${home}/agents`, [".toml"])) {
        const read = await readToml(search, path, level);
        if (!read) continue;
        const { developer_instructions: body, ...frontmatter } = read.value;
        const name = typeof frontmatter["name"] === "string" ? frontmatter["name"] : base;
        if (typeof body === "string")
          search.add(name, { level, path }, { frontmatter, body: body.trim(), folder: `${home}/agents` });
        else search.warn(path, 'it has no "developer_instructions"');
      }
    }),
    "mcp-server": inHomes(FOLDERS, "user", async (search, { path: home, level }) => {
      const path = `${home}/config.toml`;
      const read = await readToml(search, path, level);
      if (read) addServers(search, { path, level }, read, ["mcp_servers"]);
    }),
    hook: inHomes(FOLDERS, "user", async (search, { path, level }) => {
      hooksIn(search, { path: `${path}/hooks.json`, level, timeoutUnit: "seconds" });
      const config = `${path}/config.toml`;
      const read = await readToml(search, config, level);
      if (read) addHooks(search, { path: config, level, timeoutUnit: "seconds" }, read);
    }),
    tool: inHomes(FOLDERS, "project", (search, { path, level }) =>
      moduleFolder(search, `${path}/tools`, level, [".ts", ".js"], (one, folder) =>
        firstFile(one, folder, ["index.ts", "index.js"]),
      ),
    ),
    settings: inHomes(FOLDERS, "user", async (search, { path: home, level }) => {
      const path = `${home}/config.toml`;
      const read = await readToml(search, path, level);
      if (read) search.add("config.toml", { level, path }, { settings: read.value });
    }),
  },
};
