// How all formats handle the conversation of a request: the arguments of calls, data carried by an answer, and that
// each call has exactly one result.

import { parseArguments } from "../../stream/partial-json.ts";
import type { JsonObject } from "../../types/json.ts";
import type { ContentPart, Message, ThinkingPart, ToolCallData } from "../../types/message.ts";
import type { ToolChoice, ToolDefinition } from "../../types/request.ts";
import type { Dropped } from "../types.ts";
import { type Carried, carriedIn } from "./carrier.ts";
import { isTooDeep, refuse } from "./read.ts";

/** Clients ask vendors to forget parts of long conversations; we send the conversation unchanged and say so. */
export const NOT_EDITED: Dropped = { what: "context_management", why: "the conversation is sent as it is" };

/** Tool names that every vendor accepts. */
const TOOL_NAME = /^[a-zA-Z0-9_.-]{1,128}$/;

/** A call that a client sends back with its answer. */
export function callPart(id: string, name: string, argumentText: string, place: string): ContentPart {
  checkName(name, place);
  const parsed = parseArguments(argumentText);
  if (parsed !== undefined && isTooDeep(parsed)) refuse(place, `${place} has arguments that are nested too deep.`);
  const toolCall: ToolCallData = {
    id,
    name,
    type: "function",
    arguments: parsed ?? {},
    ...(parsed === undefined ? { rawArguments: argumentText } : {}),
  };
  return { kind: "tool_call", toolCall };
}

export function checkName(name: string, place: string): void {
  if (!TOOL_NAME.test(name))
    refuse(place, `${place} must have a name of letters, digits, "_", "-" and ".", at most 128 of them.`);
}

/** A function that a client defines. */
export function functionTool(
  { name, description = "", parameters }: { name: string; description?: string; parameters?: JsonObject },
  place: string,
): ToolDefinition {
  checkName(name, place);
  const schema = parameters ?? { type: "object", properties: {} };
  if (schema["type"] !== "object") refuse(place, `${place} must have parameters of type "object".`);
  return { name, description, parameters: schema };
}

/** Checks that tool names are unique and that a choice names one of them. */
export function checkTools(tools: readonly ToolDefinition[] | undefined, choice: ToolChoice | undefined): void {
  const names = new Set<string>();
  for (const [index, { name }] of (tools ?? []).entries()) {
    if (names.has(name))
      refuse(`tools[${index}]`, `tools[${index}] has the name of an earlier tool; names must be unique.`);
    names.add(name);
  }
  if (choice?.mode === "named" && !names.has(choice.toolName))
    refuse("tool_choice", "tool_choice names a tool that is not among the tools.");
  if (choice?.mode === "required" && names.size === 0)
    refuse("tool_choice", "tool_choice requires a tool, but there are none.");
}

/** The thought that a signature belongs to. A signature that we did not write is the vendor's own. */
export function thinkingPart(text: string, signature: string | undefined, isRedacted = false): ThinkingPart {
  const carried = signature === undefined ? undefined : carriedIn(signature);
  if (carried === undefined) {
    const kept = signature === undefined || signature === "" ? {} : { signature };
    return { kind: isRedacted ? "redacted_thinking" : "thinking", thinking: { text, redacted: isRedacted, ...kept } };
  }
  const redacted = carried.redacted === true;
  return {
    kind: redacted ? "redacted_thinking" : "thinking",
    thinking: {
      text,
      redacted,
      origin: carried.origin,
      ...(carried.signature === undefined ? {} : { signature: carried.signature }),
    },
  };
}

/** The parts of an answer with the data that it carried: thoughts first, signatures at their calls. */
export function withCarried(parts: readonly ContentPart[], carried: Carried | undefined): readonly ContentPart[] {
  if (carried === undefined) return parts;
  const { origin, thoughts = [], calls = [] } = carried;
  const before = thoughts.map(
    ({ text, signature, redacted, itemId }): ThinkingPart => ({
      kind: redacted ? "redacted_thinking" : "thinking",
      thinking: {
        text,
        redacted,
        origin: { ...origin, ...(itemId === undefined ? {} : { itemId }) },
        ...(signature === undefined ? {} : { signature }),
      },
    }),
  );
  const byId = new Map(calls.map((call) => [call.id, call]));
  const rest = parts.flatMap((part): ContentPart[] => {
    // The visible thinking repeats these thoughts.
    if (before.length > 0 && part.kind === "thinking") return [];
    const call = part.kind === "tool_call" ? byId.get(part.toolCall.id) : undefined;
    if (part.kind !== "tool_call" || call === undefined) return [part];
    const { signature, itemId } = call;
    const from = { ...origin, ...(itemId === undefined ? {} : { itemId }) };
    return [
      {
        kind: "tool_call",
        toolCall: { ...part.toolCall, origin: from, ...(signature === undefined ? {} : { signature }) },
      },
    ];
  });
  return [...before, ...rest];
}

/** Checks that each call has one result, after the call and before any other message. */
export function checkPairs(messages: readonly Message[], list: string): void {
  const seen = new Set<string>();
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      const id = message.toolCallId ?? "";
      if (!open.delete(id)) refuse(list, `${list} holds a tool result without an open call of its id.`);
      continue;
    }
    if (open.size > 0) break;
    for (const part of message.content) {
      if (part.kind !== "tool_call") continue;
      if (seen.has(part.toolCall.id)) refuse(list, `${list} holds two calls with one id.`);
      seen.add(part.toolCall.id);
      open.add(part.toolCall.id);
    }
  }
  if (open.size > 0) refuse(list, `${list} holds a tool call without its result; send one result for each call.`);
}
