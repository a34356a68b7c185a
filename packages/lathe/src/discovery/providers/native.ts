// Lathe's own files: `~/.lathe` and the nearest `.lathe` of the project. Skills are taken from every folder up to the root.

import { firstFile, markdownFolder, moduleFolder, skillFolder, textFile } from "../layouts.ts";
import { type Look, nearest, type Provider, type Scan } from "../look.ts";
import { mcpServersIn } from "../mcp-servers.ts";
import { readJson } from "../structured.ts";
import type { ItemKind, Level } from "../types.ts";

const FOLDER = ".lathe";
const TOOL_ENDINGS = [".json", ".md", ".ts", ".js", ".sh", ".bash", ".py"];
const CODE_ENDINGS = [".ts", ".js", ".mts", ".mjs"];

/** The project's folder first: it is closer to the work. */
function homes(look: Scan): readonly (readonly [string, Level])[] {
  const project = nearest(look, FOLDER);
  return [...(project === undefined ? [] : [[project, "project"] as const]), [look.place.latheHome, "user"]];
}

const inEach =
  <K extends ItemKind>(load: (look: Look<K>, home: string, level: Level) => void) =>
  (look: Look<K>): void => {
    for (const [home, level] of homes(look)) load(look, home, level);
  };

export const native: Provider = {
  id: "native",
  name: "Lathe",
  priority: 100,
  loaders: {
    skill: (look) => {
      for (const folder of look.place.folders) skillFolder(look, `${folder}/${FOLDER}/skills`, "project");
      skillFolder(look, `${look.place.latheHome}/skills`, "user");
    },
    command: inEach((look, home, level) => markdownFolder(look, `${home}/commands`, level, { nested: true })),
    rule: inEach((look, home, level) => markdownFolder(look, `${home}/rules`, level, { endings: [".md", ".mdc"] })),
    prompt: inEach((look, home, level) => markdownFolder(look, `${home}/prompts`, level)),
    instruction: inEach((look, home, level) => markdownFolder(look, `${home}/instructions`, level)),
    agent: inEach((look, home, level) => markdownFolder(look, `${home}/agents`, level)),
    "context-file": inEach((look, home, level) => textFile(look, `${home}/AGENTS.md`, level)),
    "system-prompt": (look) => {
      // Not from folders above: a prompt that replaces ours is meant for the folder it is in.
      for (const [home, level] of [
        [`${look.place.cwd}/${FOLDER}`, "project"],
        [look.place.latheHome, "user"],
      ] as const)
        for (const name of ["SYSTEM.md", "APPEND_SYSTEM.md", "TITLE_SYSTEM.md"])
          textFile(look, `${home}/${name}`, level);
    },
    hook: inEach((look, home, level) => {
      for (const event of ["pre", "post"])
        for (const { path, base } of look.filesIn(`${home}/hooks/${event}`, CODE_ENDINGS))
          look.add(`${event}:${base}`, { level, path }, { event, type: "module", path });
    }),
    tool: inEach((look, home, level) =>
      moduleFolder(look, `${home}/tools`, level, TOOL_ENDINGS, (one, folder) =>
        firstFile(one, folder, ["index.ts", "index.js"]),
      ),
    ),
    extension: inEach((look, home, level) =>
      moduleFolder(look, `${home}/extensions`, level, CODE_ENDINGS, extensionEntries),
    ),
    "mcp-server": inEach((look, home, level) => {
      mcpServersIn(look, `${home}/mcp.json`, level);
    }),
    settings: inEach((look, home, level) => {
      const path = `${home}/settings.json`;
      const read = readJson(look, path, level);
      if (read) look.add("settings.json", { level, path }, { settings: read.value });
    }),
    "ssh-host": inEach(sshHosts),
  },
};

/** The entries that its package.json names, else its index. One that only brings another agent's manifest has none. */
function extensionEntries(look: Scan, folder: string): readonly string[] {
  const read = readJson(look, `${folder}/package.json`, "user");
  for (const key of ["lathe", "pi"]) {
    const own = read?.value[key];
    const listed = typeof own === "object" && own !== null ? (own as Record<string, unknown>)["extensions"] : undefined;
    if (Array.isArray(listed))
      return listed.flatMap((name) => (typeof name === "string" ? [`${folder}/${name.replace(/^\.\//, "")}`] : []));
  }
  return firstFile(look, folder, ["index.ts", "index.js"]);
}

function sshHosts(look: Look<"ssh-host">, home: string, level: Level): void {
  const path = `${home}/ssh.json`;
  const read = readJson(look, path, level);
  const hosts = read?.value["hosts"];
  if (typeof hosts !== "object" || hosts === null) return;
  for (const [name, value] of Object.entries(hosts)) {
    const line = read?.lineOf(["hosts", name]);
    const { host, user, username, port, keyPath, description } = (value ?? {}) as Record<string, unknown>;
    if (typeof host !== "string") {
      look.warn(path, `ssh host ${name} has no "host"`, line);
      continue;
    }
    const owner = user ?? username;
    look.add(
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
