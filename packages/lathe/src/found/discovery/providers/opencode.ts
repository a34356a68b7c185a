// OpenCode: `~/.config/opencode`, the nearest `.opencode` of the project, and opencode.json (or .jsonc) in both and in
// the project's folders. Folder names may be singular or plural.

import { compileFilter } from "@lathe/agent/world";
import { isJsonObject } from "@lathe/llm";
import { AGENT_PLACES } from "../agent-places.ts";
import { everyHome, foldersOf, type Home, homesOf } from "../homes.ts";
import { firstFile, markdownFolder, skillFolder, textFile } from "../layouts.ts";
import { addServers } from "../mcp-servers.ts";
import type { Provider, Scan, Search } from "../search.ts";
import { readJson, type Structured } from "../structured.ts";
import type { Level } from "../types.ts";
import { unsupportedFiles } from "../unsupported.ts";

const FOLDERS = foldersOf(AGENT_PLACES.opencode);
const [, ...CONFIG_FILES] = AGENT_PLACES.opencode.project;

export const opencode: Provider = {
  id: "opencode",
  name: "OpenCode",
  priority: 55,
  loaders: {
    "context-file": (search) => textFile(search, `${FOLDERS.user(search)}/AGENTS.md`, "user"),
    instruction: (search) => {
      for (const { value, ...config } of configs(search)) {
        const { instructions } = value;
        for (const named of Array.isArray(instructions) ? instructions : [])
          if (typeof named === "string") instructionFiles(search, named, config);
      }
    },
    command: (search) => {
      for (const { path, level } of homesOf(search, FOLDERS, "user"))
        for (const name of ["command", "commands"])
          markdownFolder(search, `${path}/${name}`, level, { nested: true, renames: true });
      for (const config of configs(search)) addFromConfig(search, config, "command", "template");
    },
    agent: (search) => {
      for (const { path, level } of homesOf(search, FOLDERS, "project"))
        for (const name of ["agent", "agents"]) markdownFolder(search, `${path}/${name}`, level, { nested: true });
      for (const config of configs(search)) addFromConfig(search, config, "agent", "prompt");
    },
    skill: (search) => {
      for (const { path, level } of everyHome(search, FOLDERS))
        for (const name of ["skill", "skills"]) skillFolder(search, `${path}/${name}`, level);
    },
    "mcp-server": (search) => {
      for (const config of configs(search)) addServers(search, config, config, ["mcp"]);
    },
    unsupported: (search) => {
      const tools = "its tools need OpenCode; write one for .lathe/tools";
      const plugins = "its plugins need OpenCode; write an extension for .lathe/extensions";
      unsupportedFiles(search, FOLDERS, { tool: tools, tools, plugin: plugins, plugins });
    },
    settings: (search) => {
      for (const { path, level, value } of configs(search))
        search.add("opencode.json", { level, path }, { settings: value });
    },
  },
};

interface Config extends Structured {
  readonly path: string;
  readonly level: Level;
  /** Paths in it are relative to this folder. */
  readonly folder: string;
}

/** The project's nearest file comes first. */
function configs(search: Scan): readonly Config[] {
  const homes: Home[] = [
    ...search.place.folders.flatMap((folder): Home[] => [
      { path: folder, level: "project" },
      { path: `${folder}/${FOLDERS.project}`, level: "project" },
    ]),
    { path: FOLDERS.user(search), level: "user" },
  ];
  return homes.flatMap(({ path: folder, level }) =>
    firstFile(search, folder, CONFIG_FILES).flatMap((path) => {
      const read = readJson(search, path, level);
      return read ? [{ ...read, path, level, folder }] : [];
    }),
  );
}

/** Reads `{"command": {"name": {"template": …, "description": …}}}`. */
function addFromConfig(
  search: Search<"command"> | Search<"agent">,
  { path, level, folder, value, lineOf }: Config,
  key: string,
  textKey: string,
): void {
  const entries = value[key];
  if (!isJsonObject(entries)) return;
  for (const [name, written] of Object.entries(entries)) {
    // An entry without a text only modifies a built-in agent.
    const { [textKey]: text, ...frontmatter } = isJsonObject(written) ? written : {};
    if (typeof text !== "string") continue;
    search.add(name, { level, path, line: () => lineOf([key, name]) }, { frontmatter, body: text.trim(), folder });
  }
}

/** A path or a glob, relative to the config's folder or one above it in the project. URLs are not fetched. */
function instructionFiles(
  search: Search<"instruction">,
  named: string,
  { path, folder, level }: Omit<Config, "value">,
): void {
  if (/^https?:/.test(named)) {
    search.warn(path, `the instructions at ${named} are not fetched; save them as a file`);
    return;
  }
  const whole = named.replace(/^~(?=\/)/, search.place.userHome).replace(/^\.\//, "");
  const bases = whole.startsWith("/")
    ? [""]
    : [...new Set([folder, ...(level === "project" ? search.place.folders : [])])];
  for (const base of bases) {
    const found = filesNamed(search, base, whole.replace(/^\//, ""));
    for (const file of found) {
      const value = search.markdown(file, level);
      if (value) search.add(isGlob(whole) ? file.slice(base.length + 1) : named, { level, path: file }, value);
    }
    if (found.length > 0) return;
  }
}

const isGlob = (text: string): boolean => /[*?[{]/.test(text);
/** No project has this many instructions, and a glob over everything must not block a start. */
const MOST_FOLDERS = 200;

function filesNamed(search: Scan, base: string, named: string): readonly string[] {
  if (!isGlob(named)) return search.files.isFile(`${base}/${named}`) ? [`${base}/${named}`] : [];
  const parts = named.split("/");
  const start = [base, ...parts.slice(0, parts.findIndex(isGlob))].join("/");
  const matches = compileFilter(`/${named}`);
  const files: string[] = [];
  const folders = [start];
  // The loop extends the list.
  for (const next of folders)
    for (const { name, path, isFolder } of search.files.entries(next)) {
      if (!isFolder && matches(path.slice(base.length + 1))) files.push(path);
      if (isFolder && name !== "node_modules" && folders.length < MOST_FOLDERS) folders.push(path);
    }
  return files;
}
