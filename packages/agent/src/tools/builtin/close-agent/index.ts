import "../../../contract/subagents.ts";
import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../contract/tool.ts";
import { verbOf } from "../card.ts";
import { childIn } from "../child-report.ts";
import description from "./description.md";

const params = { agent_id: text("The child's id") };

export const closeAgentTool: ToolDef<StaticFields<typeof params>> = {
  name: "close_agent",
  feature: "agents",
  label: "End agent",
  description: description.trim(),
  schema: object(params),
  tier: "exec",
  replay: "never",
  sessionOnly: true,
  needs: ["subagents"],
  summary: ({ agent_id }) => agent_id,
  card: ({ agent_id }, result) => ({
    verb: verbOf(["Ending", "Ended", "End"], result),
    subject: agent_id,
    outcome: result && childIn(result.text)?.status,
  }),
  async execute({ agent_id }, { services }) {
    const { agentId, status } = await services.subagents!.close(agent_id);
    return JSON.stringify({ agent_id: agentId, status });
  },
};
