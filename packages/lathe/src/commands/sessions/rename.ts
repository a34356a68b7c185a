// `lathe sessions rename`.

import { statSync, utimesSync } from "node:fs";
import { existingJournal } from "../../journals/journal-files.ts";
import { findOne } from "../../sessions/find.ts";
import { oneLine } from "../../sessions/list.ts";
import { EXIT, usageError } from "../../usage/exit.ts";
import { verbArgs } from "../verb-args.ts";
import { named, type Verb } from "./verb.ts";

export const renameVerb: Verb = async (argv, workspace) => {
  const [which, ...words] = verbArgs(argv, {}).positionals;
  const title = oneLine(words.join(" "));
  if (title === "") throw usageError("Give a title: lathe sessions rename <id> <title>");
  const path = findOne(workspace, named(which, "rename"));
  const { atime, mtime } = statSync(path);
  const { journal } = existingJournal(workspace, path);
  journal.setTitle(title, "user");
  await journal.close();
  // Renaming is not work: the session keeps its place in lists, and --continue still takes the one used last.
  utimesSync(path, atime, mtime);
  return EXIT.done;
};
