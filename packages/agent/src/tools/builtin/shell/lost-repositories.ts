// Git repositories in folders that a command removes or moves. Rewind restores their files but not their `.git`, so the
// question says so.

import { posix } from "node:path";
import type { ShellPart } from "../../../contract/shell.ts";
import type { PreviewLine } from "../../../contract/tool.ts";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";
import { loadAnalysis } from "./access.ts";

/** The user waits for the question, so a large tree is not searched to its end. */
const MOST_FOLDERS = 500;
const MOST_NAMED = 5;

export async function lostRepositoryNotes(
  command: string,
  cwd: string,
  env: ExecutionEnvironment,
): Promise<PreviewLine[]> {
  const { analyseShell } = await loadAnalysis();
  const { parts } = await analyseShell(command, { cwd, home: env.home });
  const folders = parts.flatMap((part) =>
    removedPaths(part).map((path) => posix.resolve(part.cwd ?? cwd, path.replace(/^~(?=\/|$)/, env.home ?? "~"))),
  );
  const found = await repositoriesIn([...new Set(folders)], env);
  if (found.length === 0) return [];
  const named = found.slice(0, MOST_NAMED).map((path) => posix.relative(cwd, path) || ".");
  const more = found.length > MOST_NAMED ? ` and ${found.length - MOST_NAMED} more` : "";
  const text = `Rewind cannot bring back these git repositories, only their files: ${named.join(", ")}${more}.`;
  return [{ text, kind: "note" }];
}

/** The paths as written; for a glob, the folder that it matches in. */
function removedPaths({ words: [program = "", ...words] }: ShellPart): string[] {
  return removedWords(posix.basename(program), words)
    .filter((path) => !/[$`]/.test(path))
    .map((path) => path.replace(/[^/]*[*?[{].*$/, "") || ".");
}

function removedWords(program: string, words: readonly string[]): readonly string[] {
  const operands = words.filter((word) => !word.startsWith("-"));
  if (program === "rm") return operands;
  if (program === "mv") return words.some((word) => /^(?:-t|--target)/.test(word)) ? operands : operands.slice(0, -1);
  const start = words.findIndex((word) => /^[-(!]/.test(word));
  return program === "find" && words.includes("-delete") ? words.slice(0, start) : [];
}

async function repositoriesIn(folders: readonly string[], env: ExecutionEnvironment): Promise<string[]> {
  const found = folders.filter((path) => posix.basename(path) === ".git").map((path) => posix.dirname(path));
  const open = folders.filter((path) => posix.basename(path) !== ".git");
  for (let looked = 0; open.length > 0 && looked < MOST_FOLDERS; looked++) {
    const folder = open.shift()!;
    // A path that is no folder, or that we cannot read, has no repository that we could name.
    const entries = await env.listDirectory(folder, 1).catch(() => []);
    if (entries.some(({ name }) => name === ".git")) found.push(folder);
    for (const { name, isDir } of entries)
      if (isDir && name !== ".git" && name !== "node_modules") open.push(posix.join(folder, name));
  }
  return found;
}
