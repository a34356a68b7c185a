// Uses the model that the user has chosen for planning while the session is in plan mode.

import { messageOf } from "@lathe/llm";
import { PlanModel } from "../plan/plan-model.ts";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function planModelPart({
  workspace,
  request,
  models,
  permissions,
  session,
}: Pick<SessionBase, "workspace" | "request" | "models" | "permissions" | "session">): SessionPart {
  const planModel = new PlanModel({
    workspace,
    models: models.known,
    isPlanning: () => permissions.mode === "plan" && !request.adapter,
    current: () => models.current,
    switchTo: (choice, role) => models.switchTo(choice, role),
  });
  permissions.followMode(() => {
    planModel
      .follow()
      .catch((error: unknown) => session.warn(`The model for planning is not used: ${messageOf(error)}`, "plan_model"));
  });
  return { name: "plan model", ready: () => planModel.follow() };
}
