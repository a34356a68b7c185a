// `lathe sessions list|show|search|rename|rm|export|doctor|stats`.

import { join } from "node:path";
import { JournalError } from "@lathe/agent";
import { EXIT, type ExitCode, usageError } from "../cli/exit.ts";
import { existingJournal } from "../run/journal-files.ts";
import { openWorkspace, type Workspace } from "../run/workspace.ts";
import { findOne, findSession } from "../sessions/find.ts";
import { listSessions, oneLine, sessionName, timeAgo } from "../sessions/list.ts";
import { openToRead } from "../sessions/open.ts";
import type { Command } from "./index.ts";
import { table } from "./table.ts";
import { verbArgs } from "./verb-args.ts";

type Verb = (argv: readonly string[], workspace: Workspace) => Promise<ExitCode>;

const USAGE = `Usage: lathe sessions <verb>

  list [--all] [-n N] [--json]      sessions of this directory, or of all; N 0 shows every one
  show <id|path> [--full]           the transcript as text
  search <words> [-n N] [--json]    full-text search over all sessions
  rename <id|path> <title>          give a session a title
  rm <id|path>…                     remove sessions with their artifacts and subagents
  export <id|path> [--out file]     the transcript as one HTML file
  doctor [id|path] [--gc]           check session files; --gc removes blobs nobody names
  stats [--json]                    sessions, messages, tokens and cost by model and day
`;

const VERBS: Readonly<Record<string, Verb>> = {
  list,
  show,
  rename,
  rm,
};

export const sessionsCommand: Command = async ([name = "list", ...argv], machine) => {
  if (name === "--help" || name === "-h" || argv.includes("--help")) {
    machine.stdout.write(USAGE);
    return EXIT.done;
  }
  // `lathe sessions --json` lists.
  const verb = name.startsWith("-") ? list : VERBS[name];
  if (!verb) throw usageError(`lathe sessions knows ${Object.keys(VERBS).join(", ")}, not "${name}".`);
  const workspace = await openWorkspace(machine, {});
  try {
    return await verb(name.startsWith("-") ? [name, ...argv] : argv, workspace);
  } catch (error) {
    // A journal's error is about the user's file, not a fault of ours, and says what to do.
    if (error instanceof JournalError) throw usageError(error.message);
    throw error;
  }
};

const DEFAULT_LENGTH = 30;

async function list(argv: readonly string[], workspace: Workspace): Promise<ExitCode> {
  const { values } = verbArgs(argv, {
    all: { type: "boolean", short: "a" },
    json: { type: "boolean" },
    number: { type: "string", short: "n" },
  });
  const limit = count(values.number, values.json ? 0 : DEFAULT_LENGTH);
  const { paths, cwd, machine } = workspace;
  const listed = listSessions({
    sessionsRoot: paths.sessions,
    cacheFile: join(paths.cache, "session-heads.json"),
    ...(values.all ? {} : { cwd }),
    ...(limit === 0 ? {} : { limit }),
  });
  if (values.json) {
    const rows = listed.map((session) => ({ ...session, modified: new Date(session.modified).toISOString() }));
    machine.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    return EXIT.done;
  }
  if (listed.length === 0) {
    machine.stderr.write(
      values.all ? "No sessions yet.\n" : "No sessions in this directory. See: lathe sessions list --all\n",
    );
    return EXIT.done;
  }
  const now = machine.deps.now();
  const rows = listed.map((session) => [
    session.id.slice(0, 8),
    timeAgo(session.modified, now),
    sessionName(session),
    ...(values.all ? [oneLine(session.cwd)] : []),
  ]);
  machine.stdout.write(table(rows));
  return EXIT.done;
}

async function show(argv: readonly string[], workspace: Workspace): Promise<ExitCode> {
  const { values, positionals } = verbArgs(argv, { full: { type: "boolean" } });
  const { machine, paths } = workspace;
  const { path } = findSession(workspace, named(positionals[0], "show"));
  const [{ transcriptOf }, { showText }] = await Promise.all([
    import("../sessions/transcript.ts"),
    import("../sessions/show.ts"),
  ]);
  const journal = openToRead(machine, paths.blobs, path);
  machine.stdout.write(showText(transcriptOf(journal), { full: values.full ?? false }));
  await journal.close();
  return EXIT.done;
}

async function rename(argv: readonly string[], workspace: Workspace): Promise<ExitCode> {
  const [which, ...words] = verbArgs(argv, {}).positionals;
  const title = oneLine(words.join(" "));
  if (title === "") throw usageError("Give a title: lathe sessions rename <id> <title>");
  const { journal } = existingJournal(workspace, findOne(workspace, named(which, "rename")));
  journal.setTitle(title, "user");
  await journal.close();
  return EXIT.done;
}

async function rm(argv: readonly string[], workspace: Workspace): Promise<ExitCode> {
  const { positionals } = verbArgs(argv, {});
  named(positionals[0], "rm");
  const { removeSession } = await import("../sessions/remove.ts");
  for (const path of positionals.map((value) => findOne(workspace, value))) {
    await removeSession(workspace, path);
    workspace.machine.stdout.write(`Removed ${path}\n`);
  }
  return EXIT.done;
}

function named(value: string | undefined, verb: string): string {
  if (value === undefined) throw usageError(`Name a session: lathe sessions ${verb} <id>. See: lathe sessions list`);
  return value;
}

function count(value: string | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (!/^\d+$/.test(value)) throw usageError(`-n takes a number, not "${value}".`);
  return Number(value);
}
