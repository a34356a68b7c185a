// Which session a terminal used last, so that `--continue` in each terminal continues its own session.

import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasBegun } from "@lathe/agent/record";
import type { Workspace } from "../config/workspace/workspace.ts";

const VARIABLES = ["TMUX_PANE", "CMUX_SURFACE_ID", "KITTY_WINDOW_ID", "TERM_SESSION_ID", "WT_SESSION"];

/** The terminal's device, otherwise a variable that the terminal program sets. */
export function terminalId(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const name = ttyPath() ?? VARIABLES.map((variable) => env[variable]).find((value) => value);
  return name?.replace(/[^A-Za-z0-9_-]/g, "-").replace(/^-+/, "");
}

function ttyPath(): string | undefined {
  for (const fd of [0, 1, 2]) {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      if (/^\/dev\/(pts\/|tty)/.test(target)) return target;
    } catch {
      // closed, or no /proc here
    }
  }
  return undefined;
}

/** Call this when a session is opened. A session that is not saved leaves nothing. */
export function rememberForTerminal({ machine, paths, cwd }: Workspace, path: string | undefined): void {
  const terminal = path && terminalId(machine.env);
  // The pane of a worker is closed together with it.
  if (terminal && !machine.paneStarter?.member) leaveBreadcrumb(paths.terminalSessions, terminal, cwd, path);
}

/** Best effort: without it `--continue` takes the newest session of the directory. */
function leaveBreadcrumb(folder: string, terminal: string, cwd: string, sessionPath: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, terminal), `${cwd}\n${sessionPath}\n`, { mode: 0o600 });
  } catch {
    // the run continues if the home directory is full or read-only
  }
}

export function followBreadcrumb(folder: string, terminal: string, cwd: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, terminal), "utf8");
  } catch {
    return undefined; // this terminal has no session yet
  }
  const [where, path = ""] = text.split("\n");
  return where === cwd && hasBegun(path) ? path : undefined;
}
