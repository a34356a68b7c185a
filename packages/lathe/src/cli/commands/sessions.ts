// `lathe sessions <verb>`: each verb is loaded when it is used.

import { JournalError } from "@lathe/agent";
import { Run } from "../../hosts/run.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";
import type { Verb } from "./sessions/verb.ts";

const VERBS: Readonly<Record<string, () => Promise<Verb>>> = {
  list: async () => (await import("./sessions/list.ts")).listVerb,
  show: async () => (await import("./sessions/show.ts")).showVerb,
  search: async () => (await import("./sessions/search.ts")).searchVerb,
  tree: async () => (await import("./sessions/tree.ts")).treeVerb,
  branch: async () => (await import("./sessions/branch.ts")).branchVerb,
  label: async () => (await import("./sessions/label.ts")).labelVerb,
  move: async () => (await import("./sessions/move.ts")).moveVerb,
  rename: async () => (await import("./sessions/rename.ts")).renameVerb,
  rm: async () => (await import("./sessions/rm.ts")).rmVerb,
  export: async () => (await import("./sessions/export.ts")).exportVerb,
  doctor: async () => (await import("./sessions/doctor.ts")).doctorVerb,
};

export const sessionsCommand: Command = async (argv, machine) => {
  // Without a verb, options belong to `list`.
  const [name = "list", ...rest] = argv[0]?.startsWith("-") ? ["list", ...argv] : argv;
  const verb = Object.hasOwn(VERBS, name) ? await VERBS[name]?.() : undefined;
  if (!verb)
    throw usageError(
      `Unknown command "lathe sessions ${name}". Choose one of ${Object.keys(VERBS).join(", ")}. See: lathe sessions --help`,
    );
  const workspace = await new Run(machine).open({});
  try {
    return await verb(rest, workspace);
  } catch (error) {
    // A journal error is about the user's file, not a bug of ours, and says what to do.
    if (error instanceof JournalError) throw usageError(error.message);
    throw error;
  }
};
