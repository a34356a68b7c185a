// Files that may depend on others: those that name them where files name each other. Too many rather than too few, found by a search.

import { posix } from "node:path";
import type { ExecutionEnvironment } from "@lathe/agent/world";
import type { ServerRow } from "./server-rows.ts";

const MOST_DEPENDENTS = 20;
/** These stand for their folder. */
const FOLDER_FILES = /^(?:index|__init__|mod|main|lib)$/;

export async function findDependents(
  paths: readonly string[],
  row: ServerRow,
  env: ExecutionEnvironment,
  signal?: AbortSignal,
): Promise<string[]> {
  const names = [...new Set(paths.flatMap(namesOf))].map((name) => name.replace(/[.+^${}()|[\]\\*?]/g, "\\$&"));
  const endings = row.fileTypes.filter((type) => type.startsWith(".")).map((type) => type.slice(1));
  if (names.length === 0 || endings.length === 0) return [];
  const pattern = `(?:["'/.<\\s](?:${names.join("|")})(?:\\.\\w+)?["'>;,\\s]|["'/.<\\s](?:${names.join("|")})$)`;
  const { files } = await env.grep(pattern, env.workingDirectory(), {
    mode: "files_with_matches",
    globFilter: endings.length === 1 ? `*.${endings[0]}` : `*.{${endings.join(",")}}`,
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
