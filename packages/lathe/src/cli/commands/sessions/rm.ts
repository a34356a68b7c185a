// `lathe sessions rm`.

import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { findOne } from "../../../sessions/find.ts";
import { removeSession } from "../../../sessions/remove.ts";
import { verbArgs } from "../verb-args.ts";
import { requireSessionId, type Verb } from "./verb.ts";

/** A shorter id is more likely a typo. */
const LEAST = 4;

export const rmVerb: Verb = async (argv, workspace) => {
  const { positionals } = verbArgs(argv, {});
  requireSessionId(positionals[0], "rm");
  const short = positionals.find((value) => value !== "" && value.length < LEAST);
  if (short !== undefined)
    throw usageError(`Removal cannot be undone: give at least ${LEAST} characters of the id, not "${short}".`);
  for (const path of new Set(positionals.map((value) => findOne(workspace, value)))) {
    await removeSession(workspace, path);
    workspace.machine.stdout.write(`Removed ${path}\n`);
  }
  return EXIT.done;
};
