// Settings of models for jobs.

import type { SettingSpec } from "./schema.ts";

export const ROLE_SETTINGS = {
  "modelRoles.smol": { type: "string", default: "", help: "model for small jobs" },
  "modelRoles.slow": { type: "string", default: "", help: "model for hard jobs" },
  "modelRoles.plan": { type: "string", default: "", help: "model for planning" },
  "modelRoles.executor": { type: "string", default: "", help: "model of agents that do the work, as lathe/executor" },
  "modelRoles.architect": { type: "string", default: "", help: "model of agents that design; empty = modelRoles.slow" },
  "modelRoles.planner": { type: "string", default: "", help: "model of agents that plan; empty = modelRoles.plan" },
  "modelRoles.critic": { type: "string", default: "", help: "model of agents that review; empty = modelRoles.slow" },
  "modelRoles.vision": { type: "string", default: "", help: "model that looks at pictures for inspect_image" },
} as const satisfies Record<string, SettingSpec>;
