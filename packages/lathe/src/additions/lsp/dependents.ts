// Files that may depend on others: what the code index says where there is one, else those that a search finds naming them where files
// name each other. Too many rather than too few.

import { posix } from "node:path";
import { grammars } from "@lathe/agent/files";
import type { ExecutionEnvironment } from "@lathe/agent/world";
import type { CodeIndex } from "../code-index/code-index.ts";
import type { ServerRow } from "./server-row.ts";
import { fileGlob } from "./server-rows.ts";

/** Each is shown to the server, before and after the edit. */
export const MOST_DEPENDENTS = 20;
/** These stand for their folder. */
const FOLDER_FILES = /^(?:index|__init__|mod|main|lib)$/;

/** Those that use most of what the files define first. Undefined: the index cannot say, or not soon. */
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
    return undefined; // the search finds them
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
    // Code writes a line break of a name as an escape.
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
  // A package of Go is its folder.
  if (path.endsWith(".go")) return [folder];
  return FOLDER_FILES.test(stem) ? [folder, stem] : [stem];
}
