// `lathe sessions tree`.

import type { Journal } from "@lathe/agent";
import { findEntry, landingOf } from "@lathe/agent/record";
import { withEntryHint } from "../../../platform/usage/entry-hint.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { changeJournal } from "../../../sessions/change-journal.ts";
import { findOne, findSession } from "../../../sessions/find.ts";
import { openToRead } from "../../../sessions/open.ts";
import { TREE_FILTERS, type TreeFilter, type TreeRow, treeLine, treeRows } from "../../../sessions/tree-rows.ts";
import { writePieces } from "../../../sessions/write-pieces.ts";
import { verbArgs } from "../verb-args.ts";
import { singleName, type Verb } from "./verb.ts";

export const treeVerb: Verb = async (argv, workspace) => {
  const { values, positionals } = verbArgs(argv, {
    filter: { type: "string" },
    go: { type: "string" },
    json: { type: "boolean" },
  });
  const { machine, paths } = workspace;
  const which = singleName(positionals, "tree");
  const { filter = "default", go } = values;
  if (!isFilter(filter)) throw usageError(`There is no filter "${filter}". Choose one of: ${TREE_FILTERS.join(", ")}.`);
  if (go !== undefined) {
    const text = await changeJournal(workspace, findOne(workspace, which), ({ journal }) =>
      withEntryHint(`See: lathe sessions tree ${which}`, () => goTo(journal, go)),
    );
    machine.stdout.write(text === undefined ? "" : `${text}\n`);
    return EXIT.done;
  }
  const journal = openToRead(machine, paths.blobs, findSession(workspace, which).path);
  const rows = treeRows(journal, filter);
  await writePieces(machine.stdout, values.json ? [treeJson(journal.leaf, [...rows])] : textLines(rows));
  await journal.close();
  return EXIT.done;
};

const treeJson = (leafId: string | null, entries: readonly TreeRow[]): string =>
  `${JSON.stringify({ leafId, entries }, null, 2)}\n`;

function* textLines(rows: Iterable<TreeRow>): Generator<string> {
  for (const row of rows) yield `${treeLine(row)}\n`;
}

/**
 * Moves the session to the entry. If it is a message of the user, the session continues before it, and its text is
 * returned.
 */
function goTo(journal: Journal, wanted: string): string | undefined {
  const { leafId, text } = landingOf(journal.entry(findEntry(journal, wanted)));
  journal.setLeaf(leafId);
  return text;
}

const isFilter = (filter: string): filter is TreeFilter => (TREE_FILTERS as readonly string[]).includes(filter);
