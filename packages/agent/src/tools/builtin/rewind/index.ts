import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { CheckpointService } from "../../../contract/checkpoints.ts";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { COLLAPSED_LINES, markdown, verbOf } from "../card.ts";
import description from "./description.md";

const params = { report: text("What you found out and will need from here on") };

export const rewindTool = (checkpoints: CheckpointService): ToolDef<StaticFields<typeof params>> => ({
  name: "rewind",
  label: "Rewind",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "never",
  sessionOnly: true,
  summary: () => "",
  card: ({ report }, result) => ({
    verb: verbOf(["Rewinding", "Rewound", "Rewind"], result),
    subject: "to the checkpoint",
    body: result && !result.isError ? markdown(report, COLLAPSED_LINES) : undefined,
  }),
  execute({ report }) {
    if (report.trim() === "") throw new ToolFailure("The report is empty. Write what you found out.");
    if (!checkpoints.collapse(report)) throw new ToolFailure("No checkpoint is active.");
    return "Rewound to the checkpoint.";
  },
});
