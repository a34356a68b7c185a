// The largest possible answer, for servers that must reserve its cost before the request.

import { fixedThinking } from "../protocols/anthropic/effort.ts";
import type { ModelInfo } from "../types/model.ts";
import type { Request } from "../types/request.ts";

/** Output tokens. Undefined if nothing limits the answer; then give the request a `maxTokens`. */
export function largestAnswer(request: Request, model: ModelInfo): number | undefined {
  const { maxOutput } = model;
  if (request.maxTokens === undefined) return maxOutput;
  const withThinking = request.maxTokens + fixedThinking(model, request.reasoningEffort);
  return maxOutput === undefined ? withThinking : Math.min(withThinking, Math.max(maxOutput, request.maxTokens));
}
