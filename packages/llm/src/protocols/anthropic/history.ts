// The history of a request in encoded messages, and what it rules out. Shared by the vendors with Anthropic's model of a
// conversation.

import { makeSegment } from "../../segments.ts";
import type { EncodeInput } from "../../types/protocol.ts";
import type { BlockDialect, EncodedMessage } from "./blocks.ts";
import { encodeMessage } from "./blocks.ts";
import type { ThinkingInput } from "./effort.ts";
import type { WireGroup } from "./groups.ts";
import { inUnthinkingToolRound } from "./groups.ts";

export interface EncodedHistory {
  /** System and developer messages, wherever they stood. */
  readonly system: readonly EncodedMessage[];
  readonly messages: readonly EncodedMessage[];
}

export function encodeHistory(input: EncodeInput, protocol: string, dialect: BlockDialect): EncodedHistory {
  const { request, provider, segments } = input;
  const foreignThinkingAsText = request.providerOptions?.[provider]?.["foreign_thinking"] === "text";
  const context = { provider, model: request.model, foreignThinkingAsText, dialect };
  const variant = `${protocol} ${provider} ${request.model} ${foreignThinkingAsText}`;
  const system: EncodedMessage[] = [];
  const messages: EncodedMessage[] = [];
  for (const message of request.messages) {
    const isSystem = message.role === "system" || message.role === "developer";
    const encoded = segments.get(message, variant, () => {
      const made = encodeMessage(message, context);
      return isSystem ? { ...made, segment: makeSegment("system", made.joined) } : made;
    });
    (isSystem ? system : messages).push(encoded);
  }
  return { system, messages };
}

/** Why thinking cannot be on in this request, if so. */
export function thinkingRefusal(
  request: EncodeInput["request"],
  groups: readonly WireGroup[],
): ThinkingInput["refusal"] {
  const mode = request.toolChoice?.mode;
  if (mode === "required" || mode === "named") {
    return { reason: "a forced tool call excludes thinking", budgetOnly: false };
  }
  if (!inUnthinkingToolRound(groups)) return undefined;
  return { reason: "the running tool round began without thinking", budgetOnly: true };
}
