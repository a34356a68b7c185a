import type { CheckpointService } from "../../contract/checkpoints.ts";
import { type ToolDef, ToolFailure } from "../../contract/tool.ts";
import { type ArgsOf, parameters, text } from "../params.ts";
import description from "./description.md";

const params = { report: text("What you found out and will need from here on") };

export const rewindTool = (checkpoints: CheckpointService): ToolDef<ArgsOf<typeof params>> => ({
  name: "rewind",
  label: "Rewind",
  description: description.trim(),
  schema: parameters(params),
  tier: "read",
  replay: "never",
  sessionOnly: true,
  summary: () => "",
  execute({ report }) {
    if (report.trim() === "") throw new ToolFailure("The report is empty. Write what you found out.");
    if (!checkpoints.collapse(report)) throw new ToolFailure("No checkpoint is active.");
    return "Rewound to the checkpoint.";
  },
});
