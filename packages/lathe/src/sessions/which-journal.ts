// Which journal a run writes to: chosen by --session, --resume, --continue, --fork, --run-id, --no-session, or a new
// one.

import { resolve } from "node:path";
import { hasBegun } from "@lathe/agent/record";
import type { Workspace } from "../config/workspace/workspace.ts";
import type { CliOptions } from "../platform/options/option-table.ts";
import { CliError, EXIT, usageError } from "../platform/usage/exit.ts";
import { findSession, sessionToContinue } from "./find.ts";
import {
  existingJournal,
  forkedJournal,
  memoryJournal,
  newJournal,
  type OpenedJournal,
} from "./journals/journal-files.ts";
import { rememberOutsideFile } from "./outside-files.ts";

export function journalFor(workspace: Workspace, options: CliOptions): OpenedJournal {
  try {
    return choose(workspace, options);
  } catch (error) {
    throw refusal(error);
  }
}

/** Another process has the session open. The caller may know how to join it there. */
export class SessionHeld extends CliError {
  readonly path: string;
  constructor(path: string, message: string, cause: unknown) {
    super(EXIT.usage, message, { cause });
    this.name = "SessionHeld";
    this.path = path;
  }
}

/** Here the machine is the problem, not the choice of session. */
const UNWRITABLE: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

/** Turns an error into a refusal for the user. If another process holds the session, nothing is lost. */
export function refusal(error: unknown, runId?: string): unknown {
  if (!(error instanceof Error) || error instanceof CliError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (UNWRITABLE.has(((error.cause ?? error) as NodeJS.ErrnoException).code)) return error;
  if (syscall !== undefined)
    return usageError(`The session cannot be opened: ${error.message}. See: lathe sessions list`);
  if (error.name !== "JournalError") return error;
  if (code === "corrupt" || code === "version") return usageError(`${error.message} See: lathe sessions doctor`);
  if (code !== "locked") return usageError(error.message);
  if (runId === undefined) return usageError(`${error.message} To continue in a copy: --fork`);
  return usageError(`Run "${runId}" is still running in another process. Wait for it, or use another --run-id.`);
}

function choose(workspace: Workspace, options: CliOptions): OpenedJournal {
  const chosen = [options["no-session"], options.continue, options.resume, options.session].filter(Boolean).length;
  if (chosen > 1) throw usageError("Use only one of --continue, --resume, --session and --no-session.");
  if (options["no-session"]) return memoryJournal(workspace);
  if (options.session !== undefined) {
    const path = resolve(workspace.machine.cwd, options.session);
    if (options.fork && !hasBegun(path))
      throw usageError(`--fork: there is no session ${options.session} to copy. See: lathe sessions list`);
    return rememberOpened(
      workspace,
      path,
      hasBegun(path) ? open(workspace, path, options) : newJournal(workspace, {}, path),
    );
  }
  if (options.continue) {
    const path = sessionToContinue(workspace);
    if (path !== undefined) return open(workspace, path, options);
    workspace.machine.stderr.write("lathe: There is no earlier session of this directory: this is a new one.\n");
    return newJournal(workspace);
  }
  if (typeof options.resume === "string") {
    const found = findSession(workspace, options.resume);
    if (found.otherCwd !== undefined && !options.fork) {
      throw usageError(
        `Session "${options.resume}" is in another project (${found.otherCwd}). Go there, or add --fork to copy it here.`,
      );
    }
    return rememberOpened(workspace, found.path, open(workspace, found.path, options));
  }
  if (options.fork) throw usageError("--fork needs a session: use it with --continue, --resume or --session.");
  return newJournal(workspace);
}

/**
 * Only remembers files that were opened: a refused file is not a session, and would be reported as damaged from then
 * on.
 */
function rememberOpened(workspace: Workspace, path: string, journal: OpenedJournal): OpenedJournal {
  rememberOutsideFile(workspace.paths.sessions, path);
  return journal;
}

function open(workspace: Workspace, path: string, { fork }: CliOptions): OpenedJournal {
  if (fork) return forkedJournal(workspace, path);
  try {
    return existingJournal(workspace, path);
  } catch (error) {
    const said = refusal(error);
    if ((error as NodeJS.ErrnoException).code !== "locked" || !(said instanceof CliError)) throw error;
    throw new SessionHeld(path, said.message, error);
  }
}
