// Asks the user which session `--resume` means, and whether a session of another project should be copied here. Without
// a user it asks nothing.

import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Workspace } from "../config/workspace/workspace.ts";
import type { CliOptions } from "../platform/options/option-table.ts";
import { usageError } from "../platform/usage/exit.ts";
import { findSession } from "./find.ts";
import { listSessions, printableLine, sessionName, timeAgo } from "./list.ts";

const OFFERED = 20;

export interface OfferedSession {
  readonly path: string;
  /** The session's name and its age. */
  readonly name: string;
}

/** How the user is asked. */
export interface SessionChooser {
  /** Resolves with the path of one session; undefined if the user chose none. */
  choose(sessions: readonly OfferedSession[]): Promise<string | undefined>;
  confirm(question: string): Promise<boolean>;
}

/** The options with `resume` filled in; unchanged if there is nothing to ask. */
export async function withChosenSession(
  workspace: Workspace,
  options: CliOptions,
  chooser: SessionChooser | undefined = atTerminal(workspace),
): Promise<CliOptions> {
  if (options.resume === true) return { ...options, resume: await choose(workspace, chooser) };
  if (typeof options.resume !== "string" || options.fork || !chooser) return options;
  const { otherCwd } = findSession(workspace, options.resume);
  if (otherCwd === undefined) return options;
  const question = `Session "${options.resume}" is in another project (${printableLine(otherCwd)}). Copy it here?`;
  // Without a yes, the run is refused with the reason.
  return (await chooser.confirm(question)) ? { ...options, fork: true } : options;
}

/** The newest sessions of this directory to choose from, newest first. */
export function offeredSessions(workspace: Workspace): OfferedSession[] {
  const { machine, paths, cwd } = workspace;
  const now = machine.deps.now();
  const cacheFile = join(paths.cache, "session-heads.json");
  return listSessions({ sessionsRoot: paths.sessions, cacheFile, cwd, limit: OFFERED, now }).map((session) => ({
    path: session.path,
    name: `${sessionName(session, 60)}  (${timeAgo(session.modified, now)})`,
  }));
}

async function choose(workspace: Workspace, chooser: SessionChooser | undefined): Promise<string> {
  const sessions = offeredSessions(workspace);
  if (sessions.length === 0) throw usageError("No sessions found");
  if (!chooser) throw usageError("No session selected. Name one: lathe -r <id>, see lathe sessions list");
  const path = await chooser.choose(sessions);
  if (path === undefined) throw usageError("No session selected");
  return path;
}

function atTerminal(workspace: Workspace): SessionChooser | undefined {
  const { machine } = workspace;
  if (!machine.stdin.isTTY || !machine.stderr.isTTY) return undefined;
  return {
    choose: async (sessions) => {
      for (const [at, { name }] of sessions.entries()) machine.stderr.write(`${String(at + 1).padStart(2)}  ${name}\n`);
      return sessions[Number(await ask(workspace, `Session [1-${sessions.length}, Enter for none]: `)) - 1]?.path;
    },
    confirm: async (question) => /^y(es)?$/i.test(await ask(workspace, `${question} [y/N] `)),
  };
}

/** Asks on stderr, because stdout is for the answer. The end of the input counts as an empty answer. */
async function ask({ machine }: Workspace, question: string): Promise<string> {
  // The terminal's own line editing is enough for one word, and nothing has to be drawn.
  const lines = createInterface({ input: machine.stdin, output: machine.stderr, terminal: false });
  try {
    const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    return (await Promise.race([lines.question(question), ended])).trim();
  } finally {
    lines.close();
  }
}
