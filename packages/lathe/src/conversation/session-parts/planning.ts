// Plan mode: the model hears of it, proposes its plan, and child agents only read while it lasts.

import type { Profile } from "@lathe/agent";
import { Planning, planFileOf } from "../plan/plan-mode.ts";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function planningPart({
  workspace,
  request,
  models,
  profile,
  permissions,
  session,
}: Pick<SessionBase, "workspace" | "request" | "models" | "profile" | "permissions" | "session">): SessionPart {
  const planning = new Planning(
    {
      session: () => session.current,
      permissions,
      cwd: workspace.cwd,
      file: planFileOf(workspace, request.opened),
      userInstructions: request.userInstructions,
      readingProfile: () => models.profileFor(models.current, readingTools(profile)),
      decide: request.person?.decidePlan,
      onPlan: request.onPlan,
    },
    request.opened.journal.context.state.mode === "plan",
  );
  permissions.followMode(() => planning.onModeChange());
  return {
    name: "planning",
    middleware: [planning.middleware()],
    services: { planMode: planning.service() },
    subagents: { defaultRole: () => planning.childRole() },
  };
}

/** What a child may use while nothing may be changed. */
const readingTools = ({ toolRegistry }: Profile): string[] =>
  toolRegistry.names().filter((name) => {
    const tool = toolRegistry.get(name)?.tool;
    const tier = typeof tool?.tier === "function" ? tool.tier({}) : tool?.tier;
    // A search is judged like every connection of a session that plans.
    const isReading = tier === "read" || (tool?.needs?.includes("webSearch") ?? false);
    return isReading && !tool?.sessionOnly;
  });
