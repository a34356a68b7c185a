// A process whose file operations are traced: what it and its children open, create and rename.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

export function spawnTraced(
  trace: string,
  argv: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): ChildProcessWithoutNullStreams {
  const calls = "trace=open,openat,creat,rename,renameat,renameat2";
  return spawn("strace", ["-f", "-qq", "-s", "400", "-o", trace, "-e", calls, process.execPath, ...argv], { cwd, env });
}
