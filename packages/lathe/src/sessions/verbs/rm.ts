// `lathe sessions rm`.

import { EXIT } from "../../cli/exit.ts";
import { verbArgs } from "../../commands/verb-args.ts";
import { findOne } from "../find.ts";
import { removeSession } from "../remove.ts";
import { named, type Verb } from "./verb.ts";

export const rmVerb: Verb = async (argv, workspace) => {
  const { positionals } = verbArgs(argv, {});
  named(positionals[0], "rm");
  for (const path of new Set(positionals.map((value) => findOne(workspace, value)))) {
    await removeSession(workspace, path);
    workspace.machine.stdout.write(`Removed ${path}\n`);
  }
  return EXIT.done;
};
