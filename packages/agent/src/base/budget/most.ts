// The most that a request may be answered with and be billed for: what is set aside before it is sent.

import { fixedThinking, type ModelInfo, type Request, RequestTimeoutError, StreamError } from "@lathe/llm";
import type { RequestAmounts } from "./ledger.ts";

/** A shorter answer is not worth its prompt. */
const LEAST_ANSWER = 1000;
/** Of a model of which nothing is known. */
const USUAL_ANSWER = 32_000;

/** Tokens of the answer that is asked for, and of the shortest one that still holds the thinking and a useful text. */
export function answerRoom(
  modelInfo: ModelInfo | undefined,
  request: Request,
): { readonly most: number; readonly least: number } {
  const asked = request.maxTokens ?? modelInfo?.maxOutput ?? USUAL_ANSWER;
  const thinking = modelInfo ? fixedThinking(modelInfo, request.reasoningEffort) : 0;
  const most = thinking < asked ? asked : thinking + asked;
  return { most, least: Math.min(most, thinking + LEAST_ANSWER) };
}

/** An answer that has no end. */
export interface CutAnswer {
  /** Something of it had arrived. */
  readonly hasBegun: boolean;
  /** What the vendor has said so far, in comparable counts. */
  readonly tokens: number;
  readonly cost: number;
  /** Undefined: it was stopped on purpose. */
  readonly error: unknown;
}

/**
 * What an answer without an end may have cost besides what the vendor has said: thinking is not shown as it is billed, so it may be
 * all that was reserved. Undefined: nothing, or no limit asks for it.
 */
export function uncertainBill(
  amounts: RequestAmounts | undefined,
  { hasBegun, tokens, cost, error }: CutAnswer,
): RequestAmounts | undefined {
  // Refused requests and servers that cannot be reached cost nothing.
  const mayBeBilled = error === undefined || error instanceof RequestTimeoutError || error instanceof StreamError;
  if (!amounts || !(hasBegun || mayBeBilled)) return undefined;
  return { tokens: Math.max(0, amounts.tokens - tokens), usd: Math.max(0, amounts.usd - cost) };
}
