// Gives calls whose arguments cannot be parsed to the hooks before the answer is journalled. What the hooks make of a
// call is what the model finds in its history.

import type { ContentPart, Response, ToolCallData, ToolDefinition } from "@lathe/llm";
import { parseLooseObject } from "../contract/registry/repair.ts";
import type { WholeSession } from "./facades.ts";

/** How many calls of one answer are repaired; a model that writes nothing but broken calls would take forever. */
const MOST_READ = 4;

/** Returns the same object if nothing was changed. */
export async function readableAnswer(
  core: WholeSession,
  signal: AbortSignal,
  response: Response,
  tools: readonly ToolDefinition[] = [],
): Promise<Response> {
  // The last call of such an answer is cut off and is not run.
  if (response.finishReason.reason === "length" || !core.seams.handles("onUnreadable")) return response;
  const { content } = response.message;
  const unreadable = content.filter(isUnreadable).slice(0, MOST_READ);
  if (unreadable.length === 0) return response;
  const read = new Map<ContentPart, ContentPart>();
  for (const part of unreadable) {
    const { id, name, rawArguments: written = "" } = part.toolCall;
    const call = await core.seams.onUnreadable({ name, written, tools }, signal);
    if (call) read.set(part, { kind: "tool_call", toolCall: { id, type: "function", ...call } satisfies ToolCallData });
  }
  if (read.size === 0) return response;
  return { ...response, message: { ...response.message, content: content.map((part) => read.get(part) ?? part) } };
}

type CallPart = Extract<ContentPart, { kind: "tool_call" }>;

function isUnreadable(part: ContentPart): part is CallPart {
  if (part.kind !== "tool_call") return false;
  const { type, rawArguments } = part.toolCall;
  return type === "function" && rawArguments !== undefined && parseLooseObject(rawArguments) === undefined;
}
