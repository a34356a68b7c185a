// `lathe sessions move`.

import { quoteShell } from "@lathe/agent/world";
import { existingDirectory } from "../../../config/workspace/workspace.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { findOne, idOf } from "../../../sessions/find.ts";
import { finishMove, isInPlace, moveSessionFile } from "../../../sessions/journals/journal-files.ts";
import { verbArgs } from "../verb-args.ts";
import { requireSessionId, type Verb } from "./verb.ts";

export const moveVerb: Verb = async (argv, workspace) => {
  const [which, folder, more] = verbArgs(argv, {}).positionals;
  const id = requireSessionId(which, "move");
  if (folder === undefined || more !== undefined)
    throw usageError(`Name one folder: lathe sessions move ${id} <folder>`);
  const { machine } = workspace;
  const path = findOne(workspace, id);
  const cwd = existingDirectory(machine, folder);
  const there = { ...workspace, cwd };
  const isMoved = isInPlace(there, path);
  // A killed move may have got this far; repeating the command finishes it.
  if (isMoved && !(await finishMove(there, path))) throw usageError(`The session is in ${cwd} already.`);
  const moved = isMoved ? path : await moveSessionFile(there, path);
  machine.stdout.write(`${moved}\n`);
  machine.stderr.write(`To continue: cd ${quoteShell(cwd)} && lathe --resume ${idOf(moved).slice(0, 8)}\n`);
  return EXIT.done;
};
