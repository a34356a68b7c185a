// `lathe sessions rename`.

import { EXIT } from "../../../platform/usage/exit.ts";
import { changeJournal } from "../../../sessions/change-journal.ts";
import { findOne } from "../../../sessions/find.ts";
import { checkSessionName } from "../../../sessions/session-name.ts";
import { verbArgs } from "../verb-args.ts";
import { requireSessionId, type Verb } from "./verb.ts";

export const renameVerb: Verb = async (argv, workspace) => {
  const [which, ...words] = verbArgs(argv, {}).positionals;
  const title = checkSessionName(words.join(" "), "Give a title: lathe sessions rename <id> <title>");
  const path = findOne(workspace, requireSessionId(which, "rename"));
  await changeJournal(workspace, path, ({ journal }) => journal.setTitle(title, "user"));
  return EXIT.done;
};
