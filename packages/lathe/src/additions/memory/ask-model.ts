// Asks a model for memories, outside the conversation but within the costs and limits of a session.

import type { SideAnswer, SideCall } from "@lathe/agent/contract";
import type { OpenSession } from "../../conversation/session-contract.ts";

export type AskModel = (role: MemoryRole, call: SideCall) => Promise<SideAnswer>;

/** `memory` reads one session; `memory_digest` summarizes all. */
type MemoryRole = "memory" | "memory_digest";

const TIMEOUT_MS = 180_000;
const TOKEN_BYTES = 3;

/** The next request might cost more than the run's limit allows. */
export class LimitReached extends Error {}

export function askModel({ session, limits }: OpenSession, signal: AbortSignal): AskModel {
  return async (role, call) => {
    const { inputCostPerMillion = 0, outputCostPerMillion = 0 } = session.profile.modelInfo ?? {};
    const prompt = Buffer.byteLength(JSON.stringify(call.messages)) / TOKEN_BYTES;
    const most = (prompt * inputCostPerMillion + (call.maxTokens ?? 0) * outputCostPerMillion) / 1e6;
    if (limits.maxCost !== undefined && session.usage.cost + most > limits.maxCost)
      throw new LimitReached(`the next request could cost more than what --max-cost ${limits.maxCost} leaves`);
    return session.beside.callModel(role, { timeoutMs: TIMEOUT_MS, ...call }, signal);
  };
}
