// The longest answer and highest bill that a request may cause, which is reserved before it is sent.

import { fixedThinking, type ModelInfo, type Request, RequestTimeoutError, StreamError } from "@lathe/llm";
import type { RequestAmounts } from "./ledger.ts";

/** A shorter answer is not worth the cost of its prompt. */
const LEAST_ANSWER = 1000;
/** Assumed for a model about which nothing is known. */
const USUAL_ANSWER = 32_000;

/** Tokens of the requested answer, and of the shortest one that still holds the thinking and a useful text. */
export function answerRoom(
  modelInfo: ModelInfo | undefined,
  request: Request,
): { readonly most: number; readonly least: number } {
  const asked = request.maxTokens ?? modelInfo?.maxOutput ?? USUAL_ANSWER;
  const thinking = modelInfo ? fixedThinking(modelInfo, request.reasoningEffort) : 0;
  const most = thinking < asked ? asked : thinking + asked;
  return { most, least: Math.min(most, thinking + LEAST_ANSWER) };
}

/** An answer that was cut off. */
export interface CutAnswer {
  /** Part of the answer had arrived. */
  readonly hasBegun: boolean;
  /** What the vendor has reported so far, in comparable counts. */
  readonly tokens: number;
  readonly cost: number;
  /** Undefined if it was stopped on purpose. */
  readonly error: unknown;
}

/**
 * What a cut-off answer may have cost beyond what the vendor reported: the stream does not show all the thinking that
 * is billed, so it may be everything that was reserved. Undefined if that is nothing, or if no limit needs it.
 */
export function uncertainBill(
  amounts: RequestAmounts | undefined,
  { hasBegun, tokens, cost, error }: CutAnswer,
): RequestAmounts | undefined {
  // Refused requests and unreachable servers cost nothing.
  const mayBeBilled = error === undefined || error instanceof RequestTimeoutError || error instanceof StreamError;
  if (!amounts || !(hasBegun || mayBeBilled)) return undefined;
  return { tokens: Math.max(0, amounts.tokens - tokens), usd: Math.max(0, amounts.usd - cost) };
}
