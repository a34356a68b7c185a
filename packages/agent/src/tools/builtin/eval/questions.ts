// What a running cell may ask for: calls of the session's tools, a model, an agent. All of it becomes nested calls, so
// each is judged, journalled and recorded.

import { isJsonObject, type JsonObject, type JsonValue } from "@lathe/llm";
import { type ToolContext, ToolFailure, type ToolResult } from "../../../contract/tool.ts";
import type { CellQuestion } from "./cells.ts";
import { agentCall, completionCall } from "./inner-calls.ts";
import type { CellRecord } from "./record.ts";

export async function answerCell(
  { what, name = "", id = "", args = {} }: CellQuestion,
  context: ToolContext,
  record: CellRecord,
): Promise<JsonValue> {
  const { cells, subagents } = context.services;
  switch (what) {
    case "tool":
      return textOf(await context.call(name, args), record);
    case "completion":
      return answerOf(await context.call(completionCall.name, withoutNulls(args)), args);
    case "agent":
      return answerOf(await context.call(agentCall.name, withoutNulls(args)), args);
    case "width":
      return cells?.width ?? 0;
    case "output":
      return subagents?.directory.outputOf(id) ?? "";
    default:
      throw new ToolFailure(`Cells cannot ask for ${what}.`);
  }
}

/** Python sends null for omitted arguments. */
const withoutNulls = (args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null && value !== undefined));

function textOf({ content, isError }: ToolResult, record?: CellRecord): string {
  const text = content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
  if (isError) throw new ToolFailure(text);
  for (const part of content)
    if (part.kind === "image" && part.image.data)
      record?.addPicture(part.image.data, part.image.mediaType ?? "image/png");
  return text;
}

/** If there is a schema, the text is JSON. */
function answerOf(result: ToolResult, { schema }: JsonObject): JsonValue {
  const text = textOf(result);
  return isJsonObject(schema) ? (JSON.parse(text) as JsonValue) : text;
}
