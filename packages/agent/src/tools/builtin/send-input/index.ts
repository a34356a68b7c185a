import "../../../contract/subagents.ts";
import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../contract/tool.ts";
import { verbOf } from "../card.ts";
import { childIn } from "../child-report.ts";
import description from "./description.md";

const params = { agent_id: text("The child's id"), message: text("What to tell it") };

export const sendInputTool: ToolDef<StaticFields<typeof params>> = {
  name: "send_input",
  feature: "agents",
  label: "Tell agent",
  description: description.trim(),
  schema: object(params),
  tier: "exec",
  replay: "never",
  sessionOnly: true,
  needs: ["subagents"],
  summary: ({ agent_id }) => agent_id,
  card: ({ agent_id, message }, result) => ({
    verb: verbOf(["Telling", "Told", "Tell"], result),
    subject: `${agent_id}: ${message}`,
    outcome: result && childIn(result.text)?.status,
  }),
  async execute({ agent_id, message }, { services, callId }) {
    const report = await services.subagents!.send(agent_id, message, callId);
    return JSON.stringify({ agent_id: report.agentId, status: report.status });
  },
};
