// What hooks may use of their session.

import type { SeamContext } from "../seams/types.ts";
import type { SessionCore } from "./core.ts";
import { sideCall } from "./side-call.ts";

export function seamContext(core: SessionCore, signal: AbortSignal): SeamContext {
  const { agentId } = core.options;
  return {
    sessionId: core.id,
    signal,
    now: core.deps.now,
    journal: core.journal,
    callModel: (role, call) => sideCall(core, role, call, signal),
    ask: async (questions) => core.services.answerer?.(questions, signal),
    get budget() {
      const { spent } = core.ledger;
      return { spent, remaining: core.ledger.remaining(core.config.budget, core.elapsedMs()) };
    },
    ...(agentId === undefined ? {} : { agentId }),
  };
}
