// How the commit asks a model: each request is journalled and counted like every question outside the conversation, and
// requests that the limits of the run do not cover are refused.

import type { Session } from "@lathe/agent";
import type { SideAnswer, SideCall } from "@lathe/agent/contract";
import type { Usage } from "@lathe/llm";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import type { OpenSession } from "../session-contract.ts";
import { tokensIn } from "./diff-text.ts";

export interface CommitModel {
  ask(call: SideCall): Promise<SideAnswer>;
  /** The most tokens that a prompt may have. */
  readonly window: number;
  /** Usage so far. */
  readonly spent: Spent;
}

export interface Spent {
  readonly usage: Usage;
  readonly cost: number;
  readonly calls: number;
  /** `provider/id` of the model that answered last. */
  readonly model: string | undefined;
}

const TIMEOUT_MS = 120_000;
const USUAL_WINDOW = 32_000;
/** Enough for a message, also from a model that thinks first. */
const ANSWER_TOKENS = 4_000;
const ROLE = "smol";

/** Requests end when `signal` aborts. */
export function commitModel({ session, limits }: OpenSession, signal: AbortSignal): CommitModel {
  let calls = 0;
  let model: string | undefined;
  const begun = session.usage;
  const spent = (): Spent => {
    const { usage, cost } = session.usage;
    const since = (key: "inputTokens" | "outputTokens" | "totalTokens"): number => usage[key] - begun.usage[key];
    return {
      usage: {
        inputTokens: since("inputTokens"),
        outputTokens: since("outputTokens"),
        totalTokens: since("totalTokens"),
      },
      cost: cost - begun.cost,
      calls,
      model,
    };
  };
  const window = session.profile.contextWindowSize || USUAL_WINDOW;
  const maxTokens = Math.min(ANSWER_TOKENS, Math.floor(window / 4));
  return {
    window,
    get spent() {
      return spent();
    },
    ask: async (call) => {
      const { maxCost, maxTurns } = limits;
      if (maxTurns !== undefined && calls >= maxTurns)
        throw new CliError(EXIT.budget, `Nothing was committed: --max-turns allows ${maxTurns} requests.`);
      if (maxCost !== undefined && spent().cost + mostCost(session, call) > maxCost)
        throw new CliError(
          EXIT.budget,
          `Nothing was committed: the next request could cost more than what --max-cost ${maxCost} leaves.`,
        );
      calls++;
      const answer = await session.beside.callModel(ROLE, { timeoutMs: TIMEOUT_MS, maxTokens, ...call }, signal);
      model = answer.model;
      return answer;
    },
  };
}

/** An upper bound at the price of the session's model; 0 if the price is unknown. */
function mostCost({ profile }: Session, call: SideCall): number {
  const { inputCostPerMillion = 0, outputCostPerMillion = 0 } = profile.modelInfo ?? {};
  const prompt = tokensIn(JSON.stringify(call.messages)) * 1.5;
  return (prompt * inputCostPerMillion + (call.maxTokens ?? ANSWER_TOKENS) * outputCostPerMillion) / 1e6;
}
