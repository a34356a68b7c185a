// Gemini CLI: `~/.gemini` and the nearest `.gemini` of the project, with the extensions in them.

import { isJsonObject } from "@lathe/llm";
import { AGENT_PLACES } from "../agent-places.ts";
import { ofExtensions, tomlCommands } from "../gemini-files.ts";
import { everyHome, foldersOf, type Home, homesOf, inHomes } from "../homes.ts";
import { hooksIn } from "../hook-files.ts";
import { markdownFolder, skillFolder, textFile } from "../layouts.ts";
import { lspServersIn } from "../lsp-servers.ts";
import { mcpServersIn } from "../mcp-servers.ts";
import type { Provider, Search } from "../search.ts";
import { readJson } from "../structured.ts";
import { systemPrompts } from "../system-prompts.ts";

const FOLDERS = foldersOf(AGENT_PLACES.gemini);

export const gemini: Provider = {
  id: "gemini",
  name: "Gemini CLI",
  priority: 60,
  loaders: {
    "context-file": (search) => {
      textFile(search, `${FOLDERS.user(search)}/GEMINI.md`, "user");
      for (const folder of search.place.folders)
        textFile(search, `${folder}/GEMINI.md`, "project", { family: "gemini" });
      for (const home of homesOf(search, FOLDERS, "project")) {
        namedContextFiles(search, home);
        ofExtensions["context-file"](search, home);
      }
    },
    "system-prompt": (search) => systemPrompts(search, FOLDERS),
    command: inHomes(FOLDERS, "project", async (search, home) => {
      await tomlCommands(search, `${home.path}/commands`, home.level);
      await ofExtensions.command(search, home);
    }),
    skill: (search) => {
      for (const { path, level } of everyHome(search, FOLDERS)) skillFolder(search, `${path}/skills`, level);
      for (const home of homesOf(search, FOLDERS, "project")) ofExtensions.skill(search, home);
    },
    agent: inHomes(FOLDERS, "project", (search, { path, level }) =>
      markdownFolder(search, `${path}/agents`, level, { renames: true }),
    ),
    "mcp-server": inHomes(FOLDERS, "project", (search, home) => {
      mcpServersIn(search, `${home.path}/settings.json`, home.level);
      ofExtensions["mcp-server"](search, home);
    }),
    hook: inHomes(FOLDERS, "user", (search, home) => {
      hooksIn(search, { path: `${home.path}/settings.json`, level: home.level, timeoutUnit: "milliseconds" });
      ofExtensions.hook(search, home);
    }),
    "lsp-server": inHomes(FOLDERS, "project", (search, { path, level }) => lspServersIn(search, path, level)),
    plugin: inHomes(FOLDERS, "project", (search, home) => ofExtensions.plugin(search, home)),
    settings: inHomes(FOLDERS, "user", (search, { path: home, level }) => {
      const path = `${home}/settings.json`;
      const read = readJson(search, path, level);
      if (read) search.add("settings.json", { level, path }, { settings: read.value });
    }),
  },
};

/** Settings may name files other than GEMINI.md; `contextFileName` is the older key. They are sent to every model. */
function namedContextFiles(search: Search<"context-file">, { path, level }: Home): void {
  const settings = readJson(search, `${path}/settings.json`, level)?.value;
  const context = settings?.["context"];
  const named = (isJsonObject(context) ? context["fileName"] : undefined) ?? settings?.["contextFileName"];
  for (const name of Array.isArray(named) ? named : [named]) {
    if (typeof name !== "string" || name === "" || name === "GEMINI.md") continue;
    if (level === "user") textFile(search, `${path}/${name}`, "user");
    for (const folder of search.place.folders) textFile(search, `${folder}/${name}`, "project");
  }
}
