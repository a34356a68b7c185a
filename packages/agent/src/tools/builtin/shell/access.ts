// What a shell text will touch, from its parse: every command that it runs, and every file that the parse knows it writes or reads.

import { posix } from "node:path";
import type { ShellAnalysis } from "../../../contract/shell.ts";
import type { Access, CallScope } from "../../../contract/tool.ts";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";

/** Loaded with the first command: a host that runs none does not pay for it. */
export const loadAnalysis = () => import("../../../policy/shell/analyse.ts");

/** Where output goes that is not kept. */
const NO_FILE = /^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/;

/**
 * Git in a folder below reads the settings of the same repository, unless there is another one in between: that only the disk can
 * tell, and only for a text that itself changes nothing before git runs.
 */
async function analysisOf(command: string, cwd: string, env: ExecutionEnvironment): Promise<ShellAnalysis> {
  const { analyseShell } = await loadAnalysis();
  const context = { cwd, home: env.home };
  const first = await analyseShell(command, context);
  const below = first.parts.flatMap((part) =>
    part.words[0] === "git" && part.cwd?.startsWith(`${cwd}/`) ? [part.cwd] : [],
  );
  if (below.length === 0) return first;
  const sameRepository = new Set<string>();
  for (const folder of new Set(below)) if (await holdsNoRepository(folder, cwd, env)) sameRepository.add(folder);
  const second = await analyseShell(command, { ...context, sameRepository });
  return second.parts.every(({ isReadOnly }) => isReadOnly) ? second : first;
}

/** Neither the folder nor one on the way to it is a repository of its own, or a link. */
async function holdsNoRepository(folder: string, cwd: string, env: ExecutionEnvironment): Promise<boolean> {
  if (folder === cwd) return true;
  const stat = await env.stat(folder);
  if (stat?.kind !== "directory" || stat.realPath !== folder) return false;
  for (const name of [".git", "HEAD"]) if ((await env.stat(posix.join(folder, name))) !== undefined) return false;
  return holdsNoRepository(posix.dirname(folder), cwd, env);
}

/** What running this text in `cwd` would touch. */
export async function commandAccess(
  command: string,
  cwd: string,
  { env, paths }: Pick<CallScope, "env" | "paths">,
): Promise<Access[]> {
  const analysis = await analysisOf(command, cwd, env);
  const access: Access[] = await Promise.all(
    analysis.parts.map(async (part) => {
      // Where links lead counts for what may run there; the words of the command are read from where they were written.
      const isMoved = part.cwd !== undefined && part.cwd !== cwd;
      return {
        kind: "exec" as const,
        command: part.text,
        cwd: isMoved ? (await paths.locate(part.cwd)).real : cwd,
        part,
      };
    }),
  );
  const doubt = analysis.doubt ?? (access.length === 0 ? "It runs no command that can be judged." : undefined);
  if (doubt !== undefined) access.push({ kind: "exec", command, cwd, doubt });
  const files = new Map<string, Access>();
  for (const part of analysis.parts) {
    const named = [
      ...part.writes.map((path) => ({ kind: "write" as const, path })),
      ...part.reads.map((path) => ({ kind: "read" as const, path })),
    ];
    for (const { kind, path } of named) {
      const absolute = posix.resolve(part.cwd ?? cwd, env.home ? path.replace(/^~(?=\/|$)/, env.home) : path);
      if (NO_FILE.test(absolute) || (kind === "read" && /[*?[]/.test(path))) continue;
      const { real } = await paths.locate(absolute);
      files.set(`${kind} ${real}`, { kind, path: real });
    }
  }
  return [...access, ...files.values()];
}
