import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { CheckpointService } from "../../../contract/checkpoints.ts";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import description from "./description.md";

const params = { goal: text("What you want to find out") };

export const checkpointTool = (checkpoints: CheckpointService): ToolDef<StaticFields<typeof params>> => ({
  name: "checkpoint",
  label: "Checkpoint",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "never",
  sessionOnly: true,
  summary: ({ goal }) => goal,
  card: ({ goal }) => ({ verb: "Checkpoint", subject: goal }),
  execute({ goal }) {
    if (!checkpoints.mark(goal)) throw new ToolFailure("Checkpoint already active.");
    return "Checkpoint set. End it with rewind and a report.";
  },
});
