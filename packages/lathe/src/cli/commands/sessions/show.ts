// `lathe sessions show`.

import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { findSession } from "../../../sessions/find.ts";
import { openToRead } from "../../../sessions/open.ts";
import { showText } from "../../../sessions/show.ts";
import { journalOfAgent, neverBegun, shownAgents } from "../../../sessions/shown-agents.ts";
import { transcriptOf } from "../../../sessions/transcript.ts";
import { writePieces } from "../../../sessions/write-pieces.ts";
import { verbArgs } from "../verb-args.ts";
import { singleName, type Verb } from "./verb.ts";

export const showVerb: Verb = async (argv, workspace) => {
  const { values, positionals } = verbArgs(argv, {
    full: { type: "boolean" },
    audit: { type: "boolean" },
    json: { type: "boolean" },
    agent: { type: "string" },
  });
  if (values.json && !values.audit)
    throw usageError("--json goes with --audit. For the transcript: lathe sessions export");
  const { machine, paths } = workspace;
  const { path: session } = findSession(workspace, singleName(positionals, "show"));
  const open = (file: string) => openToRead(machine, paths.blobs, file);
  const unread = values.agent === undefined ? undefined : neverBegun(session, values.agent, open);
  if (unread !== undefined) {
    machine.stdout.write(unread);
    return EXIT.done;
  }
  const path = values.agent === undefined ? session : journalOfAgent(session, values.agent);
  const journal = open(path);
  if (values.audit) {
    const { auditOf, auditText } = await import("../../../sessions/audit.ts");
    const rows = auditOf(journal);
    await writePieces(machine.stdout, values.json ? [`${JSON.stringify(rows)}\n`] : auditText(rows));
  } else {
    const options = { full: values.full ?? false, agents: shownAgents(journal) };
    await writePieces(machine.stdout, showText(transcriptOf(journal), options));
  }
  await journal.close();
  return EXIT.done;
};
