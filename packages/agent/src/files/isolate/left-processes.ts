// Processes that a killed host left behind. The namespace of a view ends with its host, except when the host dies just as bubblewrap is
// starting: then its first process waits forever for a word of the one that started it.

import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const STARTERS: ReadonlySet<string> = new Set(["bwrap", "unshare", "sh", "mount"]);

/** Ends those that were opening the view in this folder: they name it. */
export function endLeftProcesses(folder: string): void {
  if (process.platform !== "linux") return;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (Number.isInteger(pid) && pid !== process.pid && isOpening(pid, folder)) end(pid);
  }
}

function isOpening(pid: number, folder: string): boolean {
  const [program = "", ...args] = commandLine(pid);
  return STARTERS.has(basename(program)) && args.some((arg) => arg === folder || arg.startsWith(`${folder}/`));
}

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // it has ended meanwhile, or is another user's
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
