// An upper bound on the tokens of a text, without a tokeniser: about twice what vendors count in prose and code, and
// more than they count in numbers, hashes and base64. `message-size.ts` estimates what is likely; a limit needs what is
// possible.

import type { ContentPart, Message } from "@lathe/llm";

/** Tokens for the role, separators and ids of a message. */
const OF_MESSAGE = 12;
/** No vendor charges more for an image of a size that it accepts. */
const OF_PICTURE = 6000;

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const SPACE = 3;

/** The most tokens that a vendor may count in a text. */
export function mostTokensIn(text: string): number {
  let halves = 0;
  let before = OTHER;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    let kind = OTHER;
    if (code >= 97 && code <= 122) kind = LOWER;
    else if (code >= 65 && code <= 90) kind = UPPER;
    else if (code === 32) kind = SPACE;
    if (kind === LOWER || kind === UPPER) halves += before === kind || before === SPACE || before === OTHER ? 1 : 2;
    else if (kind === SPACE) halves += before === SPACE ? 0.5 : 1;
    else halves += halvesOf(code);
    before = kind;
  }
  return Math.ceil(halves / 2);
}

/**
 * Letters of most languages take at most one token, East Asian characters two, and rare characters one for each byte.
 */
function halvesOf(code: number): number {
  if (code < 0x800) return 2;
  if ((code >= 0x3000 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af)) return 4;
  // One half of a surrogate pair; both halves together are four bytes.
  return code >= 0xd800 && code <= 0xdfff ? 4 : 6;
}

/** The most tokens that a vendor may count in a message. */
export function mostTokensOf(message: Message): number {
  return message.content.reduce((sum, part) => sum + ofPart(part), OF_MESSAGE);
}

function ofPart(part: ContentPart): number {
  switch (part.kind) {
    case "text":
      return mostTokensIn(part.text);
    case "thinking":
    case "redacted_thinking":
      return mostTokensIn(part.thinking.text) + (part.thinking.signature?.length ?? 0);
    case "tool_call":
      return OF_MESSAGE + mostTokensIn(part.toolCall.name) + mostTokensIn(JSON.stringify(part.toolCall.arguments));
    case "tool_result": {
      const { content, images = [] } = part.toolResult;
      const text = typeof content === "string" ? content : JSON.stringify(content);
      return OF_MESSAGE + mostTokensIn(text) + images.length * OF_PICTURE;
    }
    case "image":
      return OF_PICTURE;
    case "audio":
      return OF_PICTURE + sizeOf(part.audio);
    case "document":
      return OF_PICTURE + sizeOf(part.document);
    default:
      return JSON.stringify(part).length;
  }
}

/** The size of the data, or that of a long document if only its address is known. */
const sizeOf = ({ data }: { readonly data?: string | Uint8Array | undefined }): number => data?.length ?? 100_000;
