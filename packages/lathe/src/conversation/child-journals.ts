// Where the agents of a session keep their journals: beside its own, each under its name.

import { join } from "node:path";
import { type ChildHeader, type FileStore, hasBegun, Journal } from "@lathe/agent";
import { journalDeps, openToWrite } from "../journals/journal-files.ts";
import type { Workspace } from "../workspace/workspace.ts";

export function childJournals(workspace: Workspace, folder: string): (header: ChildHeader) => Journal {
  return ({ agentId, parentSession, parentCall, cwd }) => {
    const path = join(folder, `${agentId}.jsonl`);
    const store = (): FileStore => openToWrite(workspace, path, { create: true });
    if (hasBegun(path)) return Journal.open(store(), journalDeps(workspace));
    const header = { id: workspace.machine.deps.uuid(), cwd, agentId, parentSession, parentCall };
    return Journal.create(header, store, journalDeps(workspace));
  };
}
