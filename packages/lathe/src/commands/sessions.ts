// `lathe sessions <verb>`: each verb is loaded when named.

import { JournalError } from "@lathe/agent";
import { usageError } from "../cli/exit.ts";
import { openWorkspace } from "../run/workspace.ts";
import type { Verb } from "../sessions/verbs/verb.ts";
import type { Command } from "./command.ts";

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
  // Options alone belong to the list.
  const [name = "list", ...rest] = argv[0]?.startsWith("-") ? ["list", ...argv] : argv;
  const verb = Object.hasOwn(VERBS, name) ? await VERBS[name]?.() : undefined;
  if (!verb)
    throw usageError(
      `lathe sessions knows ${Object.keys(VERBS).join(", ")}, not "${name}". See: lathe sessions --help`,
    );
  const workspace = await openWorkspace(machine, {});
  try {
    return await verb(rest, workspace);
  } catch (error) {
    // A journal's error is about the user's file, not a fault of ours, and says what to do.
    if (error instanceof JournalError) throw usageError(error.message);
    throw error;
  }
};
