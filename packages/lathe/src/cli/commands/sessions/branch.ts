// `lathe sessions branch`.

import { branchPoint, findEntry } from "@lathe/agent/record";
import { withEntryHint } from "../../../platform/usage/entry-hint.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { findOne } from "../../../sessions/find.ts";
import { copyUpTo, newJournal } from "../../../sessions/journals/journal-files.ts";
import { openToRead } from "../../../sessions/open.ts";
import { verbArgs } from "../verb-args.ts";
import { requireSessionId, type Verb } from "./verb.ts";

export const branchVerb: Verb = async (argv, workspace) => {
  const [which, entry, more] = verbArgs(argv, {}).positionals;
  const id = requireSessionId(which, "branch");
  if (entry === undefined || more !== undefined)
    throw usageError(`Name one of your messages: lathe sessions branch ${id} <entry>. See: lathe sessions tree ${id}`);
  const { machine, paths } = workspace;
  const path = findOne(workspace, id);
  const source = openToRead(machine, paths.blobs, path);
  const { upTo, text } = await withEntryHint(`See: lathe sessions tree ${id} --filter user-only`, () =>
    branchPoint(source, findEntry(source, entry)),
  );
  // The branch is created in the directory of its session.
  const place = { ...workspace, cwd: source.header.cwd };
  const { journal } =
    upTo === null ? newJournal(place, { parentSession: path }) : copyUpTo(place, { journal: source, path }, upTo);
  journal.persist();
  await Promise.all([journal.close(), source.close()]);
  machine.stdout.write(`${journal.label}\n`);
  machine.stderr.write(`To continue: lathe --resume ${journal.header.id.slice(0, 8)}\nThe message was: ${text}\n`);
  return EXIT.done;
};
