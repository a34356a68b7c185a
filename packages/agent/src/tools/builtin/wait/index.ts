import "../../../contract/subagents.ts";
import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../contract/tool.ts";
import { COLLAPSED_LINES, countOf, markdown, verbOf } from "../card.ts";
import { childIn } from "../child-report.ts";
import { AGENT_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = { agent_id: text("The child's id") };

export const waitTool: ToolDef<StaticFields<typeof params>> = {
  name: "wait",
  feature: "agents",
  label: "Wait for agent",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  sessionOnly: true,
  // The child's own deadlines limit the wait.
  timeoutMs: 0,
  needs: ["subagents"],
  output: AGENT_OUTPUT,
  summary: ({ agent_id }) => agent_id,
  card({ agent_id }, result) {
    const { output = "", success, turnsUsed = 0 } = (result && childIn(result.text)) ?? {};
    return {
      verb: verbOf(["Waiting for", "Waited for", "Wait for"], result),
      subject: agent_id,
      outcome: success === undefined ? undefined : `${success ? "completed" : "failed"}, ${countOf(turnsUsed, "turn")}`,
      failed: success === false,
      body: output === "" ? undefined : markdown(output, COLLAPSED_LINES),
    };
  },
  async execute({ agent_id }, { services, signal }) {
    const { output, status, turnsUsed } = await services.subagents!.wait(agent_id, signal);
    return JSON.stringify({ output, success: status === "completed", turns_used: turnsUsed });
  },
};
