// `lathe sessions label`.

import { checkLabel, findEntry } from "@lathe/agent/record";
import type { Workspace } from "../../../config/workspace/workspace.ts";
import { withEntryHint } from "../../../platform/usage/entry-hint.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { changeJournal } from "../../../sessions/change-journal.ts";
import { findOne, findSession } from "../../../sessions/find.ts";
import { printableLine } from "../../../sessions/list.ts";
import { openToRead } from "../../../sessions/open.ts";
import { verbArgs } from "../verb-args.ts";
import { requireSessionId, type Verb } from "./verb.ts";

export const labelVerb: Verb = async (argv, workspace) => {
  const { values, positionals } = verbArgs(argv, { clear: { type: "boolean" } });
  const [which, entry, ...words] = positionals;
  const id = requireSessionId(which, "label");
  if (entry === undefined) return list(workspace, id);
  const label = values.clear ? undefined : printableLine(words.join(" "));
  if (label === "" || (values.clear && words.length > 0))
    throw usageError(
      `Give one of these: lathe sessions label ${id} ${entry} <name>, or lathe sessions label ${id} ${entry} --clear`,
    );
  await changeJournal(workspace, findOne(workspace, id), ({ journal }) =>
    withEntryHint(`See: lathe sessions tree ${id}`, () => {
      const target = findEntry(journal, entry);
      checkLabel(journal, target, label);
      journal.setLabel(target, label);
    }),
  );
  return EXIT.done;
};

async function list(workspace: Workspace, id: string): Promise<typeof EXIT.done> {
  const { machine, paths } = workspace;
  const journal = openToRead(machine, paths.blobs, findSession(workspace, id).path);
  for (const [entry, label] of journal.labels) machine.stdout.write(`${entry}  ${label}\n`);
  await journal.close();
  return EXIT.done;
}
