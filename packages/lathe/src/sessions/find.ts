// Which session `--continue`, `--resume` and `--session` mean.

import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { usageError } from "../cli/exit.ts";
import type { Workspace } from "../run/workspace.ts";
import { followBreadcrumb, terminalId } from "./breadcrumb.ts";
import { describeSession, sessionFiles } from "./files.ts";

/** This terminal's last session here, else the newest of the directory; undefined when there is none. */
export function sessionToContinue(workspace: Workspace): string | undefined {
  const terminal = terminalId(workspace.machine.env);
  const own = terminal && followBreadcrumb(workspace.paths.terminalSessions, terminal, workspace.cwd);
  return own || sessionFiles(workspace.paths.sessions, workspace.cwd)[0]?.path;
}

export interface FoundSession {
  readonly path: string;
  /** Set when the session belongs to another directory: it can only be forked from here. */
  readonly otherCwd?: string;
}

/** A path, or the beginning of an id: first among this directory's sessions, then among all. */
export function findSession(workspace: Workspace, value: string): FoundSession {
  if (/[/\\]|\.jsonl$/.test(value)) {
    const path = resolve(workspace.machine.cwd, value);
    if (!existsSync(path)) throw usageError(`Session file not found: ${value}. See: lathe sessions list`);
    return { path };
  }
  const matches = (path: string): boolean => idOf(path).startsWith(value);
  const here = sessionFiles(workspace.paths.sessions, workspace.cwd).find(({ path }) => matches(path));
  if (here) return { path: here.path };
  const elsewhere = sessionFiles(workspace.paths.sessions).find(({ path }) => matches(path));
  if (!elsewhere) throw usageError(`Session "${value}" not found. See: lathe sessions list`);
  const cwd = describeSession(elsewhere.path)?.header.cwd;
  return cwd === workspace.cwd || cwd === undefined
    ? { path: elsewhere.path }
    : { path: elsewhere.path, otherCwd: cwd };
}

export const idOf = (path: string): string => basename(path, ".jsonl").split("_").pop() ?? "";
