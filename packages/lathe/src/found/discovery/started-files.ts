// Which files of a project an item starts or imports: their contents decide what the item does. It reads only the text,
// so a file whose name is computed at run time is missed.

import { basename, dirname, resolve } from "node:path";
import { isInside } from "@lathe/agent/policy";
import type { Place } from "./place.ts";
import type { Reader } from "./reader.ts";
import type { Found, HookValue, MarkdownValue, McpServerValue } from "./types.ts";

/** Programs that run the program in their arguments. */
const LAUNCHERS =
  /^(?:env|exec|command|time|timeout|nice|nohup|sudo|\.|source|run|(?:ba|da|z|k|fi)?sh|node|deno|bun|tsx|ts-node|npx|pnpx|bunx|uv|uvx|py|python[\d.]*|ruby|perl|php|lua|pwsh|poetry|pipenv)$/;
/** Options of such programs whose value is run as well. */
const RUN_VALUES = /^(?:-r|--require|--import|--loader|--preload|--env-file)$/;

/** The files that the item's commands start. */
export function startedFiles({ kind, value }: Found, { cwd }: Place, reader: Reader): readonly string[] {
  if (kind === "mcp-server" || kind === "lsp-server") {
    const { command = "", args = [], cwd: folder = cwd } = value as McpServerValue;
    return startedBy([command, ...args], resolve(cwd, folder), cwd, reader);
  }
  if (kind === "agent") return startedByText(String((value as MarkdownValue).frontmatter["verify"] ?? ""), cwd, reader);
  if (kind !== "hook") return [];
  const { command = "", path, cwd: folder = cwd } = value as HookValue;
  return [...startedByText(command, resolve(cwd, folder), reader), ...(path === undefined ? [] : [path])];
}

/** Each command of a shell text, following `cd`. Names with blanks are not understood. */
function startedByText(text: string, base: string, reader: Reader): string[] {
  let folder = base;
  const placed = text.replaceAll(/\$\((?:git rev-parse --show-toplevel|pwd)\)|\$PWD\b|\$\{PWD\}/g, base);
  return placed.split(/[;|&()`\n]+/).flatMap((command) => {
    const words = command.trim().split(/\s+/);
    if (words[0] === "cd") folder = resolve(folder, inProject(words[1] ?? "", base));
    return startedBy(words, folder, base, reader);
  });
}

/** The word without its quotes, and with the project's folder in place of its variable. */
const inProject = (word: string, project: string): string =>
  word.replace(/["']/g, "").replace(/^\$(?:\w+_PROJECT_DIR|\{\w+_PROJECT_DIR\})/, project);

function startedBy(words: readonly string[], base: string, project: string, reader: Reader): string[] {
  const files: string[] = [];
  let isLaunched = false;
  for (const [index, word] of words.entries()) {
    const plain = inProject(word, project);
    const named = plain.replace(/^-[\w-]*=/, "");
    const path = resolve(base, named);
    if ((isLaunched || named.includes("/")) && reader.isFile(path)) files.push(path);
    const isOption = /^-|^\w+=|^\d+\w?$/.test(plain) || RUN_VALUES.test(words[index - 1] ?? "");
    if (isOption) continue;
    if (!LAUNCHERS.test(basename(plain))) break;
    isLaunched = true;
  }
  return files;
}

const SCRIPT_IMPORT = /\b(?:from|import|require)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;
const SCRIPT_ENDINGS = ["", ".ts", ".js", ".mjs", ".cjs", ".mts", ".tsx", ".jsx", ".json", "/index.ts", "/index.js"];
const PYTHON_IMPORT = /^[ \t]*(?:from[ \t]+\.*([\w.]+)[ \t]+import|import[ \t]+([\w.]+))/gm;

/** The files that a code file imports or starts itself. */
export function importedFiles(file: string, { cwd, root }: Place, reader: Reader): readonly string[] {
  const text = codeIn(file, reader);
  const folder = dirname(file);
  const first = (candidates: readonly string[]): string[] =>
    candidates.filter((path) => isInside(path, root) && reader.isFile(path)).slice(0, 1);
  if (/\.[cm]?[jt]sx?$/.test(file))
    return [...text.matchAll(SCRIPT_IMPORT)].flatMap(([, name = ""]) => {
      const path = resolve(folder, name);
      return first([...SCRIPT_ENDINGS.map((ending) => path + ending), path.replace(/\.(\w?)js$/, ".$1ts")]);
    });
  if (file.endsWith(".py"))
    return [...text.matchAll(PYTHON_IMPORT)].flatMap(([, from, name = ""]) => {
      const path = resolve(folder, (from ?? name).replaceAll(".", "/"));
      return first([`${path}.py`, `${path}/__init__.py`]);
    });
  if (!/\.\w*sh$/.test(file) && !/^#!.*sh\b/.test(text)) return [];
  const placed = text.replaceAll(/"?\$\(dirname [^)]*\)"?/g, folder);
  return startedByText(placed, cwd, reader);
}

function codeIn(file: string, reader: Reader): string {
  try {
    return reader.text(file) ?? "";
  } catch {
    return ""; // too large to read here; the file itself is among the trusted ones
  }
}
