// JSON answers for vendors without a format for them: a forced call of a synthetic tool, or an instruction in the
// system prompt if thinking forbids forcing.

import type { Request, ToolDefinition } from "../../types/request.ts";
import { encodeJson } from "../common/encode-json.ts";

/** The call that contains the answer; decoders return its arguments as text. */
export const structuredOutputTool = "structured_output";

interface StructuredAnswer {
  readonly tool?: ToolDefinition;
  readonly instruction?: string;
}

export function structuredAnswer(format: Request["responseFormat"], thinkingOn: boolean): StructuredAnswer {
  if (format === undefined || format.type === "text") return {};
  if (format.type === "json_schema" && !thinkingOn) {
    return { tool: { name: structuredOutputTool, description: "Gives the answer.", parameters: format.jsonSchema } };
  }
  const schema = format.type === "json_schema" ? ` of this JSON Schema: ${encodeJson(format.jsonSchema)}` : "";
  return { instruction: `Answer with one JSON value${schema}. Write nothing before or after it.` };
}
