// Plan mode: tells the model about it, lets it propose a plan, and keeps child agents read-only.

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

/** The tools of a child agent in plan mode. */
const readingTools = ({ toolRegistry }: Profile): string[] =>
  toolRegistry.names().filter((name) => {
    const tool = toolRegistry.get(name)?.tool;
    const tier = typeof tool?.tier === "function" ? tool.tier({}) : tool?.tier;
    // A web search is judged like any other connection in plan mode.
    const isReading = tier === "read" || (tool?.needs?.includes("webSearch") ?? false);
    return isReading && !tool?.sessionOnly;
  });
