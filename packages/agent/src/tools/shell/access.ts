// What a shell text will touch, from its parse: every command that it runs, and every file that the parse knows it writes or reads.

import { posix } from "node:path";
import type { Access, CallScope } from "../../contract/tool.ts";
import { analyseShell } from "../../shell/analyse.ts";

/** Where output goes that nobody keeps. */
const NO_FILE = /^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/;

/** What running this text in `cwd` would touch. */
export async function commandAccess(
  command: string,
  cwd: string,
  { env, paths }: Pick<CallScope, "env" | "paths">,
): Promise<Access[]> {
  const analysis = await analyseShell(command, { cwd, home: env.home });
  const access: Access[] = analysis.parts.map((part) => ({
    kind: "exec",
    command: part.text,
    cwd: part.cwd ?? cwd,
    part,
  }));
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
