// Switches to a larger model when a conversation no longer fits, if the settings allow it.

import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export async function promotionPart({
  workspace,
  models,
  compaction,
}: Pick<SessionBase, "workspace" | "models" | "compaction">): Promise<SessionPart | undefined> {
  if (!workspace.settings["contextPromotion.enabled"]) return undefined;
  const { contextPromotion } = await import("../../models/promotion.ts");
  const promotion = contextPromotion({
    models: models.known,
    current: () => models.current,
    switchTo: (choice) => models.switchTo(choice, "temporary"),
    isFull: (info) => compaction.compaction.isFull(info),
  });
  return { name: "promotion", middleware: [promotion] };
}
