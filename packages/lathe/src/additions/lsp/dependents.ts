// Files that may depend on others: from the code index if there is one, otherwise from a search for their names in
// places where files import each other. It finds too many rather than too few.

import { posix } from "node:path";
import { grammars } from "@lathe/agent/files";
import type { ExecutionEnvironment } from "@lathe/agent/world";
import type { CodeIndex } from "../code-index/code-index.ts";
import type { ServerRow } from "./server-row.ts";
import { fileGlob } from "./server-rows.ts";

/** Each is opened in the server, before and after the edit. */
export const MOST_DEPENDENTS = 20;
/** Files with these names stand for their folder. */
const FOLDER_FILES = /^(?:index|__init__|mod|main|lib)$/;

/** Dependents that use the most definitions come first. Undefined if the index cannot tell, or not soon. */
export async function dependentsInIndex(
  paths: readonly string[],
  { fileTypes }: ServerRow,
  index: CodeIndex,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  if (!fileTypes.every((type) => Object.hasOwn(grammars, type.slice(1)))) return undefined;
  const found = new Set<string>();
  try {
    for (const path of paths) {
      const dependents = await index.dependentsOf(posix.relative(index.root, path), signal);
      if (dependents === undefined) return undefined;
      for (const { path: other } of dependents)
        if (fileTypes.includes(posix.extname(other))) found.add(posix.join(index.root, other));
    }
  } catch {
    return undefined; // the search finds them instead
  }
  return [...found].filter((path) => !paths.includes(path));
}

export async function findDependents(
  paths: readonly string[],
  row: ServerRow,
  env: ExecutionEnvironment,
  signal?: AbortSignal,
): Promise<string[]> {
  const names = [...new Set(paths.flatMap(namesOf))].map((name) =>
    // In code, a line break in a name is an escape.
    name
      .replaceAll("\n", "\\n")
      .replaceAll("\r", "\\r")
      .replace(/[.+^${}()|[\]\\*?]/g, "\\$&"),
  );
  if (names.length === 0) return [];
  const pattern = `(?:["'/.<\\s](?:${names.join("|")})(?:\\.\\w+)?["'>;,\\s]|["'/.<\\s](?:${names.join("|")})$)`;
  const { files } = await env.grep(pattern, env.workingDirectory(), {
    mode: "files_with_matches",
    globFilter: fileGlob(row),
    maxResults: MOST_DEPENDENTS + paths.length,
    base: "/",
    signal,
  });
  return files
    .map((file) => posix.resolve("/", file.path))
    .filter((found) => !paths.includes(found))
    .slice(0, MOST_DEPENDENTS);
}

function namesOf(path: string): string[] {
  const stem = posix.basename(path).replace(/(?:\.d)?\.\w+$/, "");
  const folder = posix.basename(posix.dirname(path));
  // A Go package is its folder.
  if (path.endsWith(".go")) return [folder];
  return FOLDER_FILES.test(stem) ? [folder, stem] : [stem];
}
