import type { JsonObject } from "@lathe/llm";
import "../../../contract/completion.ts";
import { choice, integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../contract/tool.ts";
import { COLLAPSED_LINES, markdown, verbOf } from "../card.ts";
import { definedOptions } from "../defined-options.ts";
import description from "./description.md";

const params = {
  title: text("The problem in one line"),
  body: text("What goes wrong, when, and why"),
  path: optional(text("File it is in")),
  line: optional(integer({ description: "Line it begins on", minimum: 1 })),
  quote: optional(text("The line in question, exactly as it is in the file")),
  priority: optional(choice(["P0", "P1", "P2", "P3"], "P0: must be fixed before anything else … P3: nice to have")),
};

export const reportFindingTool: ToolDef<StaticFields<typeof params>> = {
  name: "report_finding",
  label: "Finding",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  sessionOnly: true,
  needs: ["completion"],
  access: () => [],
  summary: ({ title }) => title,
  card: ({ title, body, path, line }, result) => ({
    verb: verbOf(["Reporting", "Reported", "Report"], result),
    subject: title,
    outcome: path === undefined ? undefined : `${path}${line === undefined ? "" : `:${line}`}`,
    body: markdown(body, COLLAPSED_LINES),
  }),
  execute({ title, body, path, line, quote, priority }, { services }) {
    services.completion!.addFinding(definedOptions({ title, body, path, line, quote, priority }) as JsonObject);
    return "Noted.";
  },
};
