// Finds the missing program or file in a hook's command line. It only reports what is certain: a command that begins
// with a file or an interpreter. Anything more complex is left to the shell.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { shownPath } from "../../platform/home/shown-path.ts";

export interface RunPlace {
  readonly cwd: string;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const INTERPRETERS: ReadonlySet<string> = new Set([
  "bash",
  "bun",
  "deno",
  "node",
  "npx",
  "perl",
  "php",
  "pwsh",
  "python",
  "python3",
  "ruby",
  "tsx",
  "uv",
  "uvx",
]);

/** Undefined if nothing is missing, as far as we can tell. */
export function missingProgram(command: string, place: RunPlace): string | undefined {
  const [program = "", script = ""] = (command.match(/(?:"[^"]*"|'[^']*'|[^\s;|&<>()"'])+/g) ?? []).map(withoutQuotes);
  if (isPath(program)) return missingFile(program, place);
  if (!INTERPRETERS.has(program)) return undefined;
  const folders = (place.env["PATH"] ?? "").split(":");
  if (!folders.some((folder) => folder !== "" && existsSync(join(folder, program))))
    return `${program} is not installed`;
  return isPath(script) ? missingFile(script, place) : undefined;
}

const withoutQuotes = (word: string): string => word.replaceAll(/["']/g, "");
const isPath = (word: string): boolean => word.includes("/") && !word.includes("=") && !word.startsWith("-");

function missingFile(word: string, { cwd, userHome }: RunPlace): string | undefined {
  const path = word
    .replace(/^\$(?:\w+_PROJECT_DIR|\{\w+_PROJECT_DIR\})/, () => cwd)
    .replace(/^~(?=\/)/, () => userHome);
  // Only the shell can resolve variables, patterns and commands.
  if (/[$`*?[\]{}\\]/.test(path) || path.includes("://")) return undefined;
  return existsSync(resolve(cwd, path)) ? undefined : `${shownPath(word, userHome)} does not exist`;
}
