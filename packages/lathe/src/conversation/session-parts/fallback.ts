// Switches to other models while the chosen one is overloaded or out of quota.

import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export async function fallbackPart({
  workspace,
  request,
  models,
  session,
}: Pick<SessionBase, "workspace" | "request" | "models" | "session">): Promise<SessionPart | undefined> {
  const { settings } = workspace;
  const selectors = settings["retry.fallbackModels"];
  if (selectors.length === 0 || request.adapter) return undefined;
  const { modelFallback } = await import("../../models/fallback.ts");
  const fallback = modelFallback({
    selectors,
    models: models.known,
    current: () => models.current,
    effort: () => session.current.config.reasoningEffort,
    switchTo: (...choice) => models.switchTo(...choice),
    needsPrice: (request.limits.maxCost ?? settings["limits.maxCost"]) > 0,
  });
  return { name: "fallback", middleware: [fallback] };
}
