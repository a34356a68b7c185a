// Agents that work in isolated copies, and the recovery of such work after a crash.

import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function isolationPart({ isolation }: Pick<SessionBase, "isolation">): SessionPart | undefined {
  if (!isolation) return undefined;
  return {
    name: "isolation",
    services: {
      commitJournal: async (env, changes) => {
        // Loaded with the first edit of several files.
        const { commitJournalIn } = await import("@lathe/agent/files");
        return commitJournalIn(isolation.store)(env, changes);
      },
    },
    subagents: {
      isolate: (request) => isolation.isolate(request),
      leftBy: (agentId) => isolation.leftBy(agentId),
    },
    recover: () => isolation.recover(),
    ready: (session) => isolation.opened((message) => session.warn(message, "agents"), session.beside),
  };
}
