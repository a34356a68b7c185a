import type { Card, CardResult } from "../../../contract/card.ts";
import "../../../contract/subagents.ts";
import { integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type Access, type CallScope, type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { COLLAPSED_LINES, markdown, verbOf } from "../card.ts";
import { childIn } from "../child-report.ts";
import { AGENT_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = {
  task: text("The whole task for the child, with everything it needs to know"),
  working_dir: optional(text("Directory the child is confined to; yours when not given")),
  model: optional(text("Model for the child; yours when not given")),
  max_turns: optional(integer({ description: "Maximum number of turns the child may take; 0 = no limit", minimum: 0 })),
};

export const spawnAgentTool: ToolDef<StaticFields<typeof params>> = {
  name: "spawn_agent",
  feature: "agents",
  label: "Start agent",
  description: description.trim(),
  schema: object(params),
  tier: "exec",
  replay: "never",
  sessionOnly: true,
  needs: ["subagents"],
  output: AGENT_OUTPUT,
  access: ({ task, working_dir }, scope) => agentAccess(task, working_dir, scope),
  summary: ({ task }) => task,
  card: ({ task }, result) => spawnCard(task, result),
  async execute({ task, working_dir, model, max_turns }, { services, callId }) {
    if (task.trim() === "") throw new ToolFailure("The task is empty. Say what the child agent should do.");
    const report = await services.subagents!.spawn({
      task,
      callId,
      ...(working_dir === undefined ? {} : { workingDir: working_dir }),
      ...(model === undefined ? {} : { model }),
      ...(max_turns === undefined ? {} : { maxTurns: max_turns }),
    });
    return JSON.stringify({ agent_id: report.agentId, status: report.status });
  },
};

/** The result of a call that waits for the child ends with the child's report. */
function spawnCard(task: string, result: CardResult | undefined): Card {
  const started = result && childIn(result.text);
  return {
    verb: verbOf(["Starting agent", started ? "Started agent" : "Agent finished", "Agent failed"], result),
    subject: task,
    outcome: started?.agentId,
    body: !result || started ? undefined : markdown(result.text, COLLAPSED_LINES),
  };
}

/** A child may do what its parent may, within its directory. */
export async function agentAccess(task: string, directory = ".", { paths }: CallScope): Promise<Access[]> {
  return [{ kind: "exec", command: task, cwd: (await paths.locate(directory)).real, isAgent: true }];
}
