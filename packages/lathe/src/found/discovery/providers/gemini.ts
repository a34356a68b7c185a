// Gemini CLI: `~/.gemini` and the nearest `.gemini` of the project, with the extensions in them.

import { isJsonObject } from "@lathe/llm";
import { AGENT_PLACES } from "../agent-places.ts";
import { ofExtensions, tomlCommands } from "../gemini-files.ts";
import { everyHome, foldersOf, type Home, homesOf, inHomes } from "../homes.ts";
import { hooksIn } from "../hook-files.ts";
import { markdownFolder, skillFolder, textFile } from "../layouts.ts";
import type { Look, Provider } from "../look.ts";
import { lspServersIn } from "../lsp-servers.ts";
import { mcpServersIn } from "../mcp-servers.ts";
import { readJson } from "../structured.ts";
import { systemPrompts } from "../system-prompts.ts";

const FOLDERS = foldersOf(AGENT_PLACES.gemini);

export const gemini: Provider = {
  id: "gemini",
  name: "Gemini CLI",
  priority: 60,
  loaders: {
    "context-file": (look) => {
      textFile(look, `${FOLDERS.user(look)}/GEMINI.md`, "user");
      for (const folder of look.place.folders) textFile(look, `${folder}/GEMINI.md`, "project", { family: "gemini" });
      for (const home of homesOf(look, FOLDERS, "project")) {
        namedContextFiles(look, home);
        ofExtensions["context-file"](look, home);
      }
    },
    "system-prompt": (look) => systemPrompts(look, FOLDERS),
    command: inHomes(FOLDERS, "project", async (look, home) => {
      await tomlCommands(look, `${home.path}/commands`, home.level);
      await ofExtensions.command(look, home);
    }),
    skill: (look) => {
      for (const { path, level } of everyHome(look, FOLDERS)) skillFolder(look, `${path}/skills`, level);
      for (const home of homesOf(look, FOLDERS, "project")) ofExtensions.skill(look, home);
    },
    agent: inHomes(FOLDERS, "project", (look, { path, level }) =>
      markdownFolder(look, `${path}/agents`, level, { renames: true }),
    ),
    "mcp-server": inHomes(FOLDERS, "project", (look, home) => {
      mcpServersIn(look, `${home.path}/settings.json`, home.level);
      ofExtensions["mcp-server"](look, home);
    }),
    hook: inHomes(FOLDERS, "user", (look, home) => {
      hooksIn(look, { path: `${home.path}/settings.json`, level: home.level, timeoutUnit: "milliseconds" });
      ofExtensions.hook(look, home);
    }),
    "lsp-server": inHomes(FOLDERS, "project", (look, { path, level }) => lspServersIn(look, path, level)),
    plugin: inHomes(FOLDERS, "project", (look, home) => ofExtensions.plugin(look, home)),
    settings: inHomes(FOLDERS, "user", (look, { path: home, level }) => {
      const path = `${home}/settings.json`;
      const read = readJson(look, path, level);
      if (read) look.add("settings.json", { level, path }, { settings: read.value });
    }),
  },
};

/** Settings may name files other than GEMINI.md; `contextFileName` is the older key. They are sent to every model. */
function namedContextFiles(look: Look<"context-file">, { path, level }: Home): void {
  const settings = readJson(look, `${path}/settings.json`, level)?.value;
  const context = settings?.["context"];
  const named = (isJsonObject(context) ? context["fileName"] : undefined) ?? settings?.["contextFileName"];
  for (const name of Array.isArray(named) ? named : [named]) {
    if (typeof name !== "string" || name === "" || name === "GEMINI.md") continue;
    if (level === "user") textFile(look, `${path}/${name}`, "user");
    for (const folder of look.place.folders) textFile(look, `${folder}/${name}`, "project");
  }
}
