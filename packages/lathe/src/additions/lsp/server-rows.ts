// The language servers known without configuration, as rows. An lsp.json of a project or user adds rows and changes
// these.

import { isJsonObject } from "@lathe/llm";
import type { ServerRow } from "./server-row.ts";
import { SERVER_TABLE } from "./server-table.ts";

/** How to install the usual servers. */
const INSTALL: Readonly<Record<string, string>> = {
  "rust-analyzer": "rustup component add rust-analyzer",
  clangd: "apt install clangd",
  pylsp: "pip install python-lsp-server",
  ruff: "pip install ruff",
  biome: "npm install -D @biomejs/biome",
  eslint: "npm install -g vscode-langservers-extracted",
  "vscode-html-language-server": "npm install -g vscode-langservers-extracted",
  "vscode-css-language-server": "npm install -g vscode-langservers-extracted",
  "vscode-json-language-server": "npm install -g vscode-langservers-extracted",
  svelte: "npm install -g svelte-language-server",
  "vue-language-server": "npm install -g @vue/language-server",
  astro: "npm install -g @astrojs/language-server",
  "ruby-lsp": "gem install ruby-lsp",
  dockerls: "npm install -g dockerfile-language-server-nodejs",
};

const words = (text: string): string[] => text.split(" ");

export const SERVER_ROWS: readonly ServerRow[] = SERVER_TABLE.map(([name, line, fileTypes, rootMarkers, extras]) => {
  const [command = "", ...args] = words(line);
  const install = INSTALL[name] === undefined ? {} : { install: INSTALL[name] };
  return { name, command, args, fileTypes: words(fileTypes), rootMarkers: words(rootMarkers), ...install, ...extras };
});

/** A glob of a server's files, by names without a folder. */
export function fileGlob({ fileTypes }: Pick<ServerRow, "fileTypes">): string {
  const endings = fileTypes.filter((type) => type.startsWith("."));
  const [only = "", ...others] = endings.length > 0 ? endings.map((ending) => ending.slice(1)) : fileTypes;
  // A glob would take braces around a single word literally.
  const names = others.length === 0 ? only : `{${[only, ...others].join(",")}}`;
  return endings.length > 0 ? `*.${names}` : names;
}

/** Language ids of the protocol that differ from the ending. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ".ts": "typescript",
  ".mts": "typescript",
  ".cts": "typescript",
  ".tsx": "typescriptreact",
  ".js": "javascript",
  ".mjs": "javascript",
  ".cjs": "javascript",
  ".jsx": "javascriptreact",
  ".py": "python",
  ".pyi": "python",
  ".rs": "rust",
  ".h": "cpp",
  ".cc": "cpp",
  ".cxx": "cpp",
  ".hh": "cpp",
  ".hpp": "cpp",
  ".m": "objective-c",
  ".mm": "objective-cpp",
  ".sh": "shellscript",
  ".bash": "shellscript",
  ".zsh": "shellscript",
  ".rb": "ruby",
  ".kt": "kotlin",
  ".cs": "csharp",
  ".ex": "elixir",
  ".exs": "elixir",
  ".erl": "erlang",
  ".hs": "haskell",
  ".ml": "ocaml",
  ".md": "markdown",
  ".yml": "yaml",
  ".tex": "latex",
  ".tf": "terraform",
  Dockerfile: "dockerfile",
  Containerfile: "dockerfile",
};

/** The ending with its dot, or the whole name of a file without one. */
export function fileTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot) : name;
}

export const languageOf = (path: string, { languages }: ServerRow): string => {
  const type = fileTypeOf(path);
  return languages?.[type] ?? LANGUAGES[type] ?? type.replace(/^\./, "");
};

/** The value of a section such as `python.analysis`; without a section, all settings. */
export function settingOf(settings: ServerRow["settings"], section: unknown): unknown {
  if (typeof section !== "string" || section === "") return settings ?? null;
  let value: unknown = settings;
  for (const key of section.split(".")) value = isJsonObject(value) ? value[key] : undefined;
  return value ?? null;
}
