// The portable effort levels in Anthropic's form: adaptive thinking with an effort for current models, a fixed token
// budget for older ones.

import { clampLevel, takesEffort } from "../../catalog/thinking.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import type { ModelInfo } from "../../types/model.ts";
import { own } from "../../types/own.ts";
import type { Warning } from "../../types/response.ts";

const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 10_240,
  high: 20_480,
  xhigh: 32_768,
  max: 32_768,
};
const smallestBudget = 1024;

export interface ThinkingPlan {
  readonly thinking?: JsonObject;
  readonly effort?: string;
  readonly maxTokens: number;
}

export interface ThinkingInput {
  readonly model: ModelInfo;
  readonly effort: string | undefined;
  readonly maxTokens: number;
  /** Why this request cannot use thinking, if so. `budget`: only the fixed-budget kind is refused. */
  readonly refusal?: { readonly reason: string; readonly budgetOnly: boolean } | undefined;
}

export function planThinking({ model, effort, maxTokens, refusal }: ThinkingInput, warnings: Warning[]): ThinkingPlan {
  if (effort === undefined || effort === "off" || effort === "none") return { maxTokens };
  const drop = (reason: string): ThinkingPlan => {
    warnings.push({ message: `reasoning effort was not sent: ${reason}`, code: "unsupported_parameter" });
    return { maxTokens };
  };
  if (!takesEffort(model)) return drop(`${model.id} does not reason`);
  const adaptive = isAdaptive(model);
  if (refusal && (adaptive ? !refusal.budgetOnly : true)) return drop(refusal.reason);
  const level = clampLevel(model.thinking, effort);
  if (adaptive) {
    const display = model.thinking?.display;
    return {
      thinking: { type: "adaptive", ...(display === undefined ? {} : { display }) },
      effort: level === "minimal" ? "low" : level,
      maxTokens,
    };
  }
  const wanted = own(budgets, level) ?? budgets["medium"]!;
  const limit = model.maxOutput ?? Number.MAX_SAFE_INTEGER;
  if (wanted < maxTokens && maxTokens <= limit) return { thinking: fixedBudget(wanted), maxTokens };
  const room = Math.min(wanted + maxTokens, limit);
  const budget = Math.max(smallestBudget, Math.min(wanted, room - Math.min(maxTokens, smallestBudget)));
  return { thinking: fixedBudget(budget), maxTokens: Math.max(room, budget + 1) };
}

/**
 * Thinking tokens that the request needs, independent of its `maxTokens`: `planThinking` raises a smaller limit,
 * because another number would invalidate the vendor's cache of the conversation. 0 for models that divide the room
 * themselves.
 */
export function fixedThinking(model: ModelInfo, effort: string | undefined): number {
  if (model.thinking?.mode !== "budget" && !model.disableAdaptiveThinking) return 0;
  if (effort === undefined || effort === "off" || effort === "none" || !takesEffort(model)) return 0;
  return own(budgets, clampLevel(model.thinking, effort)) ?? budgets["medium"]!;
}

/**
 * Models with ids that the catalog does not know (`effort`) are newer than it, and newer models accept nothing else.
 */
function isAdaptive({ thinking, disableAdaptiveThinking }: ModelInfo): boolean {
  return (thinking?.mode === "adaptive" || thinking?.mode === "effort") && !disableAdaptiveThinking;
}

/** For options that a caller gives in the vendor's own terms. */
export function isThinkingOn(thinking: JsonValue): thinking is JsonObject {
  return isJsonObject(thinking) && thinking["type"] !== "disabled";
}

function fixedBudget(budget: number): JsonObject {
  return { type: "enabled", budget_tokens: budget };
}
