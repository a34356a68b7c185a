// Makes a rename complete. A server that has just started, or has no index, knows only part of the project and would
// rename half of it; if asked at an import, it would rename only there.

import { posix } from "node:path";
import { type ExecutionEnvironment, ToolFailure } from "@lathe/agent";
import { isJsonObject } from "@lathe/llm";
import { toPath, toUri } from "./addresses.ts";
import type { LiveServer } from "./live-server.ts";
import type { Place } from "./places.ts";
import { columnOf, linesOf } from "./positions.ts";
import { locationsIn } from "./protocol.ts";
import type { RequestOptions } from "./rpc-connection.ts";
import { fileGlob } from "./server-rows.ts";

const MOST_QUESTIONS = 5;
const MOST_USERS = 20;
const CHECK_MS = 10_000;

/** The place of the definition, if the server knows one in the project; otherwise the place itself. */
export async function renameOrigin(place: Place, env: ExecutionEnvironment, options: RequestOptions): Promise<Place> {
  const { live, file, position, name } = place;
  if (!live.can("definitionProvider")) return place;
  const params = { textDocument: { uri: toUri(file) }, position };
  const [found, ...others] = locationsIn(await live.ask("textDocument/definition", params, options));
  const path = found && toPath(found.uri);
  if (!path || others.length > 0 || !isInside(path, env)) return place;
  const { start } = found.range;
  const line = linesOf((await live.show(path)) ?? "")[start.line] ?? "";
  // An import may give the definition another name.
  const isSame = line.slice(columnOf(line, start.character, live.encoding)).startsWith(name);
  return isSame ? { ...place, file: path, position: start } : place;
}

/**
 * Asks repeatedly, and each time shows the server the files that it would change and those with the name, until the
 * answer is based on texts that it was shown. `users`: files with the name.
 */
export async function stableAnswer(
  ask: () => Promise<unknown>,
  users: readonly string[],
  live: LiveServer,
  env: ExecutionEnvironment,
  signal: AbortSignal,
): Promise<unknown> {
  const shown = new Map<string, string | undefined>();
  for (let questions = 0; questions < MOST_QUESTIONS; questions++) {
    const answer = await ask();
    const paths = [...pathsIn(answer), ...users.slice(0, MOST_USERS)].filter((path) => isInside(path, env));
    const fresh: string[] = [];
    for (const path of new Set(paths)) {
      const text = await live.show(path);
      if (shown.has(path) && shown.get(path) === text) continue;
      shown.set(path, text);
      fresh.push(path);
    }
    if (fresh.length === 0) return answer;
    await live.waitUntilChecked(fresh, CHECK_MS, signal);
  }
  throw new ToolFailure("The files keep changing. Nothing was written; ask again.");
}

/** Shows the server the first of the files that have a name. */
export async function showUsers(users: readonly string[], live: LiveServer, signal: AbortSignal): Promise<void> {
  const some = users.slice(0, MOST_USERS);
  for (const path of some) await live.show(path);
  await live.waitUntilChecked(some, CHECK_MS, signal);
}

/** Files that contain the name as a word. */
export async function filesWithName(
  name: string,
  live: LiveServer,
  env: ExecutionEnvironment,
  signal: AbortSignal,
): Promise<string[]> {
  const { files } = await env.grep(`\\b${name.replace(/[^\w]/g, "\\$&")}\\b`, env.workingDirectory(), {
    mode: "files_with_matches",
    globFilter: fileGlob(live.row),
    base: "/",
    signal,
  });
  return files.map(({ path }) => posix.resolve("/", path));
}

const isInside = (path: string, env: ExecutionEnvironment): boolean => path.startsWith(`${env.workingDirectory()}/`);

/** The files that a workspace edit names. */
function pathsIn(answer: unknown): string[] {
  if (!isJsonObject(answer)) return [];
  const { changes, documentChanges } = answer;
  const uris = Array.isArray(documentChanges)
    ? documentChanges.map((one) => (isJsonObject(one) && isJsonObject(one["textDocument"]) ? one["textDocument"] : {}))
    : Object.keys(isJsonObject(changes) ? changes : {}).map((uri) => ({ uri }));
  return uris.flatMap(({ uri }) => (typeof uri === "string" ? (toPath(uri) ?? []) : []));
}
