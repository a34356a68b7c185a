// How much of the context a message takes, in characters of its text: an estimate that needs no tokeniser.

import type { Message, ToolDefinition } from "@lathe/llm";

/** What vendors roughly charge for an image. */
export const IMAGE_TOKENS = 1500;
const IMAGE_CHARS = 4 * IMAGE_TOKENS;

export function charactersOf(message: Message): number {
  let size = 0;
  for (const part of message.content) {
    switch (part.kind) {
      case "text":
        size += part.text.length;
        break;
      case "thinking":
      case "redacted_thinking":
        size += part.thinking.text.length + (part.thinking.signature?.length ?? 0);
        break;
      case "tool_call":
        size += part.toolCall.name.length + JSON.stringify(part.toolCall.arguments).length;
        break;
      case "tool_result": {
        const { content, images } = part.toolResult;
        size += typeof content === "string" ? content.length : JSON.stringify(content).length;
        size += (images?.length ?? 0) * IMAGE_CHARS;
        break;
      }
      default:
        size += IMAGE_CHARS;
    }
  }
  return size;
}

/** About the size of the list's JSON, without making it. */
export const charactersOfTools = (tools: readonly ToolDefinition[]): number => lengthOf(tools);

function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  let sum = 2;
  for (const key in value) {
    const inside = lengthOf((value as Record<string, unknown>)[key]);
    sum += inside + (Array.isArray(value) ? 1 : key.length + 4);
  }
  return sum;
}
