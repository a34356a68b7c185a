// `lathe sessions <verb>`: each verb is loaded when named.

import { JournalError } from "@lathe/agent";
import { EXIT, usageError } from "../cli/exit.ts";
import { openWorkspace } from "../run/workspace.ts";
import type { Verb } from "../sessions/verbs/verb.ts";
import type { Command } from "./command.ts";

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

const VERBS: Readonly<Record<string, () => Promise<Verb>>> = {
  list: async () => (await import("../sessions/verbs/list.ts")).listVerb,
  show: async () => (await import("../sessions/verbs/show.ts")).showVerb,
  search: async () => (await import("../sessions/verbs/search.ts")).searchVerb,
  rename: async () => (await import("../sessions/verbs/rename.ts")).renameVerb,
  rm: async () => (await import("../sessions/verbs/rm.ts")).rmVerb,
  export: async () => (await import("../sessions/verbs/export.ts")).exportVerb,
  doctor: async () => (await import("../sessions/verbs/doctor.ts")).doctorVerb,
  stats: async () => (await import("../sessions/verbs/stats.ts")).statsVerb,
};

export const sessionsCommand: Command = async (argv, machine) => {
  if (argv.includes("--help") || argv.includes("-h")) {
    machine.stdout.write(USAGE);
    return EXIT.done;
  }
  // Options alone belong to the list.
  const [name = "list", ...rest] = argv[0]?.startsWith("-") ? ["list", ...argv] : argv;
  const verb = Object.hasOwn(VERBS, name) ? await VERBS[name]?.() : undefined;
  if (!verb) throw usageError(`lathe sessions knows ${Object.keys(VERBS).join(", ")}, not "${name}".`);
  const workspace = await openWorkspace(machine, {});
  try {
    return await verb(rest, workspace);
  } catch (error) {
    // A journal's error is about the user's file, not a fault of ours, and says what to do.
    if (error instanceof JournalError) throw usageError(error.message);
    throw error;
  }
};
