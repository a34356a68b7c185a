// The files that agents leave next to the session's journal, named after each agent: its own journal and its last
// output as text.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileStore, Journal, SubagentOptions } from "@lathe/agent";
import type { ChildHeader } from "@lathe/agent/contract";
import { openOrBegin } from "@lathe/agent/record";
import type { Workspace } from "../config/workspace/workspace.ts";
import { journalDeps, openToWrite } from "../sessions/journals/journal-files.ts";

/** Returns no functions for a session that is not saved. */
export function childFiles(
  workspace: Workspace,
  folder: string | undefined,
): Pick<SubagentOptions, "journal" | "keepOutput"> {
  if (folder === undefined) return {};
  return {
    journal: childJournals(workspace, folder),
    keepOutput: (agentId, output) => {
      const path = join(folder, `${agentId}.md`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(path, output, { mode: 0o600 });
      return path;
    },
  };
}

function childJournals(workspace: Workspace, folder: string): (header: ChildHeader) => Journal {
  return ({ agentId, parentSession, parentCall, cwd }) => {
    const path = join(folder, `${agentId}.jsonl`);
    const store = (): FileStore => openToWrite(workspace, path, { create: true });
    const header = { id: workspace.machine.deps.uuid(), cwd, agentId, parentSession, parentCall };
    return openOrBegin(path, header, store, journalDeps(workspace));
  };
}
