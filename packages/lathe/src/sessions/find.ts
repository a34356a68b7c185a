// Finds the session that `--continue`, `--resume`, `--session` and `lathe sessions` mean.

import { basename, resolve } from "node:path";
import { readHead } from "@lathe/agent/record";
import type { Workspace } from "../config/workspace/workspace.ts";
import { usageError } from "../platform/usage/exit.ts";
import { followBreadcrumb, terminalId } from "./breadcrumb.ts";
import { sessionFiles, statOf } from "./files.ts";

/** This terminal's last session here, otherwise the newest of the directory; undefined if there is none. */
export function sessionToContinue(workspace: Workspace): string | undefined {
  const terminal = terminalId(workspace.machine.env);
  const own = terminal && followBreadcrumb(workspace.paths.terminalSessions, terminal, workspace.cwd);
  return own || filesHere(workspace).find(({ path }) => isConversationIn(path, workspace.cwd))?.path;
}

/**
 * A journal of `lathe commit` is stored like a session, but cannot be continued; a worker's session belongs to its
 * leader.
 */
function isConversationIn(path: string, cwd: string): boolean {
  const head = readHead(path);
  return head?.header.cwd === cwd && head.header.parentCall !== TEAM_CALL && !ownJournals.has(head.header.title ?? "");
}

/** The parent call in the header of a worker's session. */
export const TEAM_CALL = "lathe team";

/** The title of a journal of `lathe commit`. */
export const COMMIT_JOURNAL = "lathe commit";
/** The title of a journal of `lathe memory rebuild`. */
export const MEMORY_JOURNAL = "lathe memory";

export const ownJournals: ReadonlySet<string> = new Set([COMMIT_JOURNAL, MEMORY_JOURNAL]);

export interface LocatedSession {
  readonly path: string;
  /** Set if the session belongs to another directory: here it can only be forked. */
  readonly otherCwd?: string;
}

/** `value` is a path or the beginning of an id; this directory's sessions are searched first, then all. */
export function findSession(workspace: Workspace, value: string): LocatedSession {
  if (isPath(value)) {
    const path = resolve(workspace.machine.cwd, value);
    if (!statOf(path)?.isFile()) throw usageError(`Session file not found: ${value}. See: lathe sessions list`);
    return { path };
  }
  const matches = ({ path }: { readonly path: string }): boolean => idBeginsWith(path, value);
  const here = filesHere(workspace).find((file) => matches(file) && cwdOf(file.path) === workspace.cwd);
  if (here) return { path: here.path };
  const otherDirectory = sessionFiles(workspace.paths.sessions).find(matches);
  if (!otherDirectory) throw usageError(`Session "${value}" not found. See: lathe sessions list`);
  const cwd = cwdOf(otherDirectory.path);
  // An interrupted move may leave a session of this directory in another folder.
  const isHere = cwd === undefined || cwd === workspace.cwd;
  return isHere ? { path: otherDirectory.path } : { path: otherDirectory.path, otherCwd: cwd };
}

/** Finds a session to change, in any directory: `value` is a path or the beginning of its id. */
export function findOne(workspace: Workspace, value: string): string {
  if (isPath(value)) return findSession(workspace, value).path;
  const found = sessionFiles(workspace.paths.sessions).filter(({ path }) => idBeginsWith(path, value));
  if (found.length > 1) throw usageError(`"${value}" matches ${found.length} sessions. Give more of the id.`);
  return found[0]?.path ?? findSession(workspace, value).path;
}

const isPath = (value: string): boolean => /[/\\]|\.jsonl$/.test(value);

/** An empty beginning would match every session, so it matches none. */
const idBeginsWith = (path: string, value: string): boolean => value !== "" && idOf(path).startsWith(value);

export const idOf = (path: string): string => basename(path, ".jsonl").split("_").pop() ?? "";

const filesHere = (workspace: Workspace) => sessionFiles(workspace.paths.sessions, workspace.cwd);

/** The folder's name is only for people: two directories may share one, so the header decides. */
export const cwdOf = (path: string): string | undefined => readHead(path)?.header.cwd;
