// What hooks may use of their session.

import type { SeamContext } from "../contract/seams/types.ts";
import { accessOf, previewOfCall } from "./call/access-of.ts";
import type { WholeSession } from "./facades.ts";
import { rulesInjected } from "./injected-rules.ts";
import { describeRequest } from "./request.ts";
import { sideCall } from "./side-call.ts";
import { vendorCompaction } from "./vendor-compaction.ts";

export function seamContext(core: WholeSession, signal: () => AbortSignal): SeamContext {
  const { agentId } = core.options;
  return {
    sessionId: core.journal.header.id,
    get signal() {
      return signal();
    },
    now: core.deps.now,
    journal: core.journal,
    env: core.options.env,
    nextRequest: () => describeRequest(core),
    carriedTexts: () => core.tools.carriedTexts(core.services),
    callModel: (role, call) => sideCall(core, role, call, signal()),
    compactByVendor: (messages, timeoutMs) => vendorCompaction(core, messages, timeoutMs, signal()),
    warn: (message, code) => core.warn(message, code),
    rulesInjected: (names) => rulesInjected(core, names),
    accessOf: (call) => accessOf(core, call, signal()),
    previewOf: (call) => previewOfCall(core, call, signal()),
    ask: async (questions) => core.services.answerer?.(questions, signal()),
    get budget() {
      const { spent } = core.ledger;
      return { spent, remaining: core.ledger.amountsLeft(core.config.budget, core.elapsedMs()) };
    },
    ...(agentId === undefined ? {} : { agentId }),
  };
}
