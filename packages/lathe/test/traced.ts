// A process whose files are traced: what it opens, makes and renames, itself and all that it starts.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

export function spawnTraced(
  trace: string,
  argv: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): ChildProcessWithoutNullStreams {
  const calls = "trace=open,openat,creat,rename,renameat,renameat2";
  return spawn("strace", ["-f", "-qq", "-s", "400", "-o", trace, "-e", calls, process.execPath, ...argv], { cwd, env });
}
