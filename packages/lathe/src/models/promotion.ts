// Context promotion: a conversation that no longer fits continues with a larger model instead of being compacted. The
// switch is for this session only; the user's saved choice stays.

import type { Middleware, RequestInfo } from "@lathe/agent";
import type { ModelChoice, Models } from "./models.ts";

export interface Promotion {
  readonly models: Models;
  readonly current: () => ModelChoice;
  readonly switchTo: (choice: ModelChoice) => Promise<void>;
  /** Whether the context would be compacted before this request. */
  readonly isFull: (info: RequestInfo) => boolean;
}

export function contextPromotion({ models, current, switchTo, isFull }: Promotion): Middleware {
  const promote = async ({ agentId }: { readonly agentId?: string }): Promise<{ retry: true } | undefined> => {
    // Subagents share this hook, but we must not change their models.
    if (agentId !== undefined) return undefined;
    const { info, effort } = current();
    const target = info && models.registry.promotionTarget(info);
    if (!target) return undefined;
    await switchTo(models.choose(`${target.provider}/${target.id}${effort === undefined ? "" : `:${effort}`}`));
    return { retry: true };
  };
  return {
    name: "context promotion",
    beforeRequest: (info, context) => (isFull(info) ? promote(context) : undefined),
    onOverflow: (_info, context) => promote(context),
  };
}
