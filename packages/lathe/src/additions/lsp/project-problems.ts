// The problems of a whole project, from a server that has read it: with one request if the server supports that,
// otherwise file by file.

import { posix } from "node:path";
import type { ExecutionEnvironment } from "@lathe/agent";
import { abortAfter } from "@lathe/agent/base";
import { isJsonObject } from "@lathe/llm";
import { toPath } from "./addresses.ts";
import type { LiveServer } from "./live-server.ts";
import { shownPath } from "./places.ts";
import { problemLines } from "./problem-lines.ts";
import { type Problem, problemsIn } from "./protocol.ts";
import { fileGlob } from "./server-rows.ts";

const TIMEOUT_MS = 30_000;
const MOST_FILES = 500;
const MOST_LINES = 50;

export interface ProjectQuestion {
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
  readonly mayShow: (path: string) => boolean;
}

/** No lines mean that there are no problems. */
export async function problemsOfProject(
  live: LiveServer,
  root: string,
  env: ExecutionEnvironment,
  { timeoutMs = TIMEOUT_MS, signal, mayShow }: ProjectQuestion,
): Promise<string[]> {
  await live.waitUntilLoaded();
  const { found, limits: reached } = live.answersForProject
    ? { found: await askOnce(live, timeoutMs, signal), limits: [] }
    : await askEach(live, root, env, timeoutMs, signal);
  const { complaint } = live;
  const limits = complaint === undefined ? reached : [...reached, `${live.row.name} says: ${complaint}`];
  const lines: string[] = [];
  for (const [path, problems] of found) {
    if (problems.length === 0 || !mayShow(path)) continue;
    const text = await env.readFile(path).catch(() => "");
    lines.push(...problemLines(problems, text, live.encoding).map((line) => `${shownPath(path, env)}:${line}`));
  }
  const more = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`… and ${more} more`] : []), ...limits];
}

async function askOnce(live: LiveServer, timeoutMs: number, signal: AbortSignal): Promise<[string, Problem[]][]> {
  const answer = await live.ask("workspace/diagnostic", { previousResultIds: [] }, { timeoutMs, signal });
  const items = isJsonObject(answer) && Array.isArray(answer["items"]) ? answer["items"] : [];
  return items.flatMap((item) => {
    const { uri, items: list } = isJsonObject(item) ? item : {};
    const path = typeof uri === "string" ? toPath(uri) : undefined;
    return path === undefined ? [] : [[path, problemsIn(list)] as [string, Problem[]]];
  });
}

async function askEach(
  live: LiveServer,
  root: string,
  env: ExecutionEnvironment,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ readonly found: [string, readonly Problem[]][]; readonly limits: readonly string[] }> {
  const { row } = live;
  const { paths, truncated } = await env.glob(`**/${fileGlob(row)}`, root, {
    maxResults: MOST_FILES,
    base: "/",
  });
  const within = abortAfter(timeoutMs, signal);
  const found: [string, readonly Problem[]][] = [];
  const unchecked: string[] = [];
  for (const path of paths.map((one) => posix.resolve("/", one)).sort()) {
    const findings = within.aborted
      ? { unknown: "" }
      : await live.findProblems(path, timeoutMs, within).catch(() => ({ unknown: "" }));
    signal.throwIfAborted();
    if ("unknown" in findings) unchecked.push(shownPath(path, env));
    else found.push([path, findings.problems]);
  }
  const limits = [
    ...(truncated ? [`Only the ${MOST_FILES} newest files were checked.`] : []),
    ...(unchecked.length === 0
      ? []
      : [`${row.name} has not checked ${unchecked.length} of ${paths.length} files, such as ${unchecked[0]}.`]),
  ];
  return { found, limits };
}
