// `lathe sessions rename`.

import { EXIT, usageError } from "../../cli/exit.ts";
import { verbArgs } from "../../commands/verb-args.ts";
import { existingJournal } from "../../run/journal-files.ts";
import { findOne } from "../find.ts";
import { oneLine } from "../list.ts";
import { named, type Verb } from "./verb.ts";

export const renameVerb: Verb = async (argv, workspace) => {
  const [which, ...words] = verbArgs(argv, {}).positionals;
  const title = oneLine(words.join(" "));
  if (title === "") throw usageError("Give a title: lathe sessions rename <id> <title>");
  const { journal } = existingJournal(workspace, findOne(workspace, named(which, "rename")));
  journal.setTitle(title, "user");
  await journal.close();
  return EXIT.done;
};
