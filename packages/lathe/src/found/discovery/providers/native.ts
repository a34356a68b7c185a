// Lathe's own files: `~/.lathe` and the nearest `.lathe` of the project. Skills come from every folder up to the root.

import { isJsonObject } from "@lathe/llm";
import { LATHE_FOLDER, latheFile } from "../agent-places.ts";
import { ofExtensions } from "../gemini-files.ts";
import { type AgentFolders, everyHome, inHomes } from "../homes.ts";
import { hooksIn } from "../hook-files.ts";
import { firstFile, markdownFolder, moduleFolder, skillFolder, textFile } from "../layouts.ts";
import { lspServersIn } from "../lsp-servers.ts";
import { mcpServersIn } from "../mcp-servers.ts";
import { extensionEntries } from "../plugin-files.ts";
import type { Provider, Scan, Search } from "../search.ts";
import { readJson } from "../structured.ts";
import { systemPrompts } from "../system-prompts.ts";
import type { Level } from "../types.ts";

/** The project's come first: they are closer to the work. */
const FOLDERS: AgentFolders = { user: ({ place }) => place.latheHome, project: LATHE_FOLDER };
const TOOL_ENDINGS = [".json", ".md", ".ts", ".js", ".sh", ".bash", ".py"];
const CODE_ENDINGS = [".ts", ".js", ".mts", ".mjs"];

export const native: Provider = {
  id: "native",
  name: "Lathe",
  priority: 100,
  loaders: {
    "context-file": inHomes(FOLDERS, "project", (search, home) => {
      textFile(search, latheFile(home.path, "AGENTS.md"), home.level);
      ofExtensions["context-file"](search, home);
    }),
    "system-prompt": (search) => systemPrompts(search, FOLDERS),
    skill: (search) => {
      for (const { path, level } of everyHome(search, FOLDERS)) skillFolder(search, latheFile(path, "skills"), level);
    },
    command: inHomes(FOLDERS, "project", async (search, home) => {
      markdownFolder(search, latheFile(home.path, "commands"), home.level, { nested: true });
      await ofExtensions.command(search, home);
    }),
    rule: inHomes(FOLDERS, "project", (search, { path, level }) =>
      markdownFolder(search, latheFile(path, "rules"), level, { endings: [".md", ".mdc"] }),
    ),
    prompt: inHomes(FOLDERS, "project", (search, { path, level }) =>
      markdownFolder(search, latheFile(path, "prompts"), level),
    ),
    instruction: inHomes(FOLDERS, "project", (search, { path, level }) =>
      markdownFolder(search, latheFile(path, "instructions"), level),
    ),
    agent: inHomes(FOLDERS, "project", (search, { path, level }) =>
      markdownFolder(search, latheFile(path, "agents"), level, { renames: true }),
    ),
    hook: inHomes(FOLDERS, "project", (search, { path: home, level }) => {
      for (const event of ["pre", "post"])
        for (const { path, base } of search.filesIn(`${latheFile(home, "hooks")}/${event}`, CODE_ENDINGS))
          search.add(`${event}:*:${base}`, { level, path }, { event, type: "module", path });
      hooksIn(search, { path: latheFile(home, "hooks.json"), level, timeoutUnit: "seconds" });
    }),
    tool: inHomes(FOLDERS, "project", (search, { path, level }) =>
      moduleFolder(search, latheFile(path, "tools"), level, TOOL_ENDINGS, (one, folder) =>
        firstFile(one, folder, ["index.ts", "index.js"]),
      ),
    ),
    extension: inHomes(FOLDERS, "project", (search, { path, level }) =>
      moduleFolder(search, latheFile(path, "extensions"), level, CODE_ENDINGS, entriesOf),
    ),
    "mcp-server": inHomes(FOLDERS, "project", (search, home) => {
      mcpServersIn(search, latheFile(home.path, "mcp.json"), home.level);
      ofExtensions["mcp-server"](search, home);
    }),
    "lsp-server": inHomes(FOLDERS, "project", (search, { path, level }) => lspServersIn(search, path, level)),
    plugin: inHomes(FOLDERS, "project", (search, home) => ofExtensions.plugin(search, home)),
    settings: inHomes(FOLDERS, "project", (search, { path: home, level }) => {
      const path = latheFile(home, "settings.json");
      const read = readJson(search, path, level);
      if (read) search.add("settings.json", { level, path }, { settings: read.value });
    }),
    "ssh-host": inHomes(FOLDERS, "project", sshHosts),
  },
};

/** The entries that its package.json names, or else its index. A folder with only a manifest of Gemini CLI has none. */
function entriesOf(search: Scan, folder: string): readonly string[] {
  const named = extensionEntries(search, folder);
  return named.length > 0 ? named : firstFile(search, folder, ["index.ts", "index.js"]);
}

function sshHosts(
  search: Search<"ssh-host">,
  { path: home, level }: { readonly path: string; readonly level: Level },
): void {
  const path = latheFile(home, "ssh.json");
  const read = readJson(search, path, level);
  const hosts = read?.value["hosts"];
  if (!isJsonObject(hosts)) return;
  for (const [name, value] of Object.entries(hosts)) {
    const line = read?.lineOf(["hosts", name]);
    const { host, user, username, port, keyPath, description } = isJsonObject(value) ? value : {};
    if (typeof host !== "string") {
      search.warn(path, `ssh host ${name} has no "host"`, line);
      continue;
    }
    const owner = user ?? username;
    search.add(
      name,
      { level, path, line },
      {
        host,
        ...(typeof owner === "string" ? { user: owner } : {}),
        ...(typeof port === "number" ? { port } : {}),
        ...(typeof keyPath === "string" ? { keyPath } : {}),
        ...(typeof description === "string" ? { description } : {}),
      },
    );
  }
}
