// Lets a server ask the session's model if the user allowed it: one question at a time, outside the conversation,
// counted in the session's costs and limits.

import type { Session } from "@lathe/agent";
import { type ContentPart, Message } from "@lathe/llm";
import type {
  CreateMessageRequest,
  CreateMessageResult,
  SamplingMessageContentBlock,
} from "@modelcontextprotocol/client";

const MOST_TOKENS = 8_192;
const TIMEOUT_MS = 120_000;
/** Questions that one server may ask in one session. */
export const MOST_SAMPLES = 50;

export async function sample(session: Session, request: CreateMessageRequest["params"]): Promise<CreateMessageResult> {
  const { messages, systemPrompt, maxTokens } = request;
  const answer = await session.beside.callModel("sampling", {
    messages: [
      ...(systemPrompt === undefined ? [] : [Message.system(systemPrompt)]),
      ...messages.map(({ role, content }) => ({ role, content: [content].flat().map(partOf) }) as Message),
    ],
    maxTokens: Math.min(maxTokens, MOST_TOKENS),
    timeoutMs: TIMEOUT_MS,
  });
  return {
    role: "assistant",
    model: answer.model,
    content: { type: "text", text: answer.text },
    stopReason: answer.finish === "length" ? "maxTokens" : "endTurn",
  };
}

function partOf(block: SamplingMessageContentBlock): ContentPart {
  if (block.type === "text") return { kind: "text", text: block.text };
  if (block.type === "image")
    return { kind: "image", image: { data: Buffer.from(block.data, "base64"), mediaType: block.mimeType } };
  return { kind: "text", text: `[${block.type}]` };
}
