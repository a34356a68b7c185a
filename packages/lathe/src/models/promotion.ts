// Context promotion: a conversation that no longer fits continues with a larger model instead of being compacted. The switch
// is for this session only; what the user chose stays chosen.

import type { Middleware } from "@lathe/agent";
import type { ModelChoice, Models } from "./models.ts";

export interface Promotion {
  readonly models: Models;
  readonly current: () => ModelChoice;
  readonly switchTo: (choice: ModelChoice) => Promise<void>;
}

export function contextPromotion({ models, current, switchTo }: Promotion): Middleware {
  return {
    name: "context promotion",
    async onOverflow(_info, { agentId }) {
      // A child shares this hook, but its model is not ours to change.
      if (agentId !== undefined) return undefined;
      const { info, effort } = current();
      const target = info && models.registry.promotionTarget(info);
      if (!target) return undefined;
      await switchTo(models.choose(`${target.provider}/${target.id}${effort === undefined ? "" : `:${effort}`}`));
      return { retry: true };
    },
  };
}
