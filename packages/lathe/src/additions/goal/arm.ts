// Arms a session for a goal: adds the hook that checks the goal when the model stops, and the tool for sub-goals.

import type { Session, ToolDef } from "@lathe/agent";
import type { SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { GoalWork } from "./goal-work.ts";
import { subGoalTool } from "./sub-goal-tool.ts";
import { VerifyingJudge } from "./verifying-judge.ts";

export function armGoal(workspace: SessionWorkspace, request: SessionRequest, session: Session): GoalWork {
  const work = new GoalWork(session, new VerifyingJudge(workspace, request, session));
  session.use(work.middleware());
  session.registerTool(subGoalTool(work) as unknown as ToolDef);
  return work;
}
