// Codex CLI: `~/.codex` (or CODEX_HOME) and the nearest `.codex` of the project.

import { AGENT_PLACES } from "../agent-places.ts";
import { everyHome, foldersOf, inHomes } from "../homes.ts";
import { addHooks, hooksIn } from "../hook-files.ts";
import { firstFile, markdownFolder, moduleFolder, skillFolder, textFile } from "../layouts.ts";
import type { Provider } from "../look.ts";
import { addServers } from "../mcp-servers.ts";
import { readToml } from "../structured.ts";
import { systemPrompts } from "../system-prompts.ts";

const FOLDERS = foldersOf(AGENT_PLACES.codex);

export const codex: Provider = {
  id: "codex",
  name: "Codex",
  priority: 70,
  loaders: {
    "context-file": (look) => {
      const [own] = firstFile(look, FOLDERS.user(look), ["AGENTS.override.md", "AGENTS.md"]);
      if (own !== undefined) textFile(look, own, "user");
      for (const folder of look.place.folders) {
        const name = `${FOLDERS.project}/instructions.md`;
        textFile(look, `${folder}/${name}`, "project", { name, family: "openai" });
      }
    },
    "system-prompt": (look) => systemPrompts(look, FOLDERS),
    command: inHomes(FOLDERS, "user", (look, { path, level }) =>
      markdownFolder(look, `${path}/prompts`, level, { renames: true }),
    ),
    skill: (look) => {
      for (const { path, level } of everyHome(look, FOLDERS)) skillFolder(look, `${path}/skills`, level);
    },
    agent: inHomes(FOLDERS, "project", async (look, { path: home, level }) => {
      for (const { path, base } of look.filesIn(`${home}/agents`, [".toml"])) {
        const read = await readToml(look, path, level);
        if (!read) continue;
        const { developer_instructions: body, ...frontmatter } = read.value;
        const name = typeof frontmatter["name"] === "string" ? frontmatter["name"] : base;
        if (typeof body === "string")
          look.add(name, { level, path }, { frontmatter, body: body.trim(), folder: `${home}/agents` });
        else look.warn(path, 'it has no "developer_instructions"');
      }
    }),
    "mcp-server": inHomes(FOLDERS, "user", async (look, { path: home, level }) => {
      const path = `${home}/config.toml`;
      const read = await readToml(look, path, level);
      if (read) addServers(look, { path, level }, read, ["mcp_servers"]);
    }),
    hook: inHomes(FOLDERS, "user", async (look, { path, level }) => {
      hooksIn(look, { path: `${path}/hooks.json`, level, timeoutUnit: "seconds" });
      const config = `${path}/config.toml`;
      const read = await readToml(look, config, level);
      if (read) addHooks(look, { path: config, level, timeoutUnit: "seconds" }, read);
    }),
    tool: inHomes(FOLDERS, "project", (look, { path, level }) =>
      moduleFolder(look, `${path}/tools`, level, [".ts", ".js"], (one, folder) =>
        firstFile(one, folder, ["index.ts", "index.js"]),
      ),
    ),
    settings: inHomes(FOLDERS, "user", async (look, { path: home, level }) => {
      const path = `${home}/config.toml`;
      const read = await readToml(look, path, level);
      if (read) look.add("config.toml", { level, path }, { settings: read.value });
    }),
  },
};
