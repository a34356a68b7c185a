// Processes left behind by a killed host. The namespace of a view ends with its host, unless the host dies just while
// bubblewrap is starting: then bubblewrap's first process waits forever for its parent.

import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const STARTERS: ReadonlySet<string> = new Set(["bwrap", "unshare", "sh", "mount"]);

/** Ends the processes that were opening the view in this folder; they name it in their arguments. */
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
    return []; // it has ended meanwhile, or belongs to another user
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
