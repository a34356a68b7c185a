import "../../../contract/completion.ts";
import { choice, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../contract/tool.ts";
import { COLLAPSED_LINES, markdown, verbOf } from "../card.ts";
import description from "./description.md";

const params = {
  output: text("The whole result; why it could not be done, when the status is aborted"),
  status: optional(choice(["success", "aborted"], "aborted: the assignment cannot be done; success when not given")),
};

export const yieldTool: ToolDef<StaticFields<typeof params>> = {
  name: "yield",
  label: "Hand over",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  sessionOnly: true,
  exclusive: true,
  needs: ["completion"],
  access: () => [],
  summary: ({ status = "success" }) => status,
  card: ({ output, status = "success" }, result) => ({
    verb: verbOf(["Handing over", "Handed over", "Hand over"], result),
    subject: "the result",
    failed: status === "aborted",
    body: markdown(output, COLLAPSED_LINES),
  }),
  async execute({ output, status = "success" }, { services }) {
    await services.completion!.finish({ output, status });
    return "Handed over.";
  },
};
