// How the OpenAI dialects and Ollama handle the parts of a message.

import { makeSegment } from "../../segments.ts";
import type { Segment } from "../../types/adapter.ts";
import type { JsonObject } from "../../types/json.ts";
import type { ContentPart, Message, Origin, ToolResultData } from "../../types/message.ts";
import type { Warning } from "../../types/response.ts";
import { encodeJson } from "./encode-json.ts";

/**
 * Signatures and thinking go back only to the model that made them; here a part without an origin is never sent back.
 */
export function isOwn(origin: Origin | undefined, context: { provider: string; model: string }): boolean {
  return origin !== undefined && origin.provider === context.provider && origin.model === context.model;
}

export function droppedWarning(part: ContentPart): Warning {
  return { code: "unsupported_content", message: `A ${part.kind} part was omitted: this API does not support it` };
}

/** Encodes the parts that the dialect has a form for and warns about each of the others. */
export function encodeParts(
  message: Message,
  encode: (part: ContentPart) => JsonObject | undefined,
): { readonly parts: JsonObject[]; readonly warnings: Warning[] } {
  const parts: JsonObject[] = [];
  const warnings: Warning[] = [];
  for (const part of message.content) {
    const encoded = encode(part);
    if (encoded) parts.push(encoded);
    else warnings.push(droppedWarning(part));
  }
  return { parts, warnings };
}

export function resultText({ content }: ToolResultData): string {
  return typeof content === "string" ? content : encodeJson(content);
}

/** The wire form of one message; `trailing` waits until all results of its turn are in place. */
export function messageSegments(
  message: Message,
  wire: readonly JsonObject[],
  trailing: JsonObject | undefined,
): { readonly segment?: Segment; readonly trailing?: Segment } {
  const text = wire.map((item) => encodeJson(item)).join(",");
  return {
    ...(text === "" ? {} : { segment: makeSegment("message", text, message) }),
    ...(trailing ? { trailing: makeSegment("message", encodeJson(trailing), message) } : {}),
  };
}
