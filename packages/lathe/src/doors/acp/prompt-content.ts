// What the client's user has sent, as an input of the session: text, pictures, files that the client put in, and links.

import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { InputContent } from "@lathe/agent";
import type { ContentPart } from "@lathe/llm";
import { givenPicture } from "../../conversation/given-picture.ts";
import { isAttachedText } from "../../conversation/typed-addresses.ts";
import { usageError } from "../../platform/usage/exit.ts";

/** What is typed stands last, as after attachments everywhere: a command is looked for there. */
export function inputOf(blocks: readonly ContentBlock[]): InputContent {
  if (blocks.length === 0) throw usageError("The prompt is empty. Send at least one block.");
  const parts: ContentPart[] = [];
  for (const part of blocks.map(partOf)) {
    const last = parts.at(-1);
    // A file that goes along stays apart: what it says was not typed.
    const isTyped = part.kind === "text" && !isAttachedText(part.text);
    if (isTyped && last?.kind === "text" && !isAttachedText(last.text))
      parts[parts.length - 1] = { kind: "text", text: last.text + part.text };
    else parts.push(part);
  }
  const [only] = parts;
  const isEmpty = parts.every((part) => part.kind === "text" && part.text.trim() === "");
  if (isEmpty) throw usageError("The prompt is empty. Send at least one block with text.");
  return parts.length === 1 && only?.kind === "text" ? only.text : parts;
}

function partOf(block: ContentBlock): ContentPart {
  switch (block.type) {
    case "text":
      return { kind: "text", text: block.text };
    case "image":
      return givenPicture("The picture", block.data);
    case "resource_link":
      return { kind: "text", text: ` ${placeOf(block.uri)} ` };
    case "resource": {
      const { resource } = block;
      if ("text" in resource)
        return { kind: "text", text: `<file path="${placeOf(resource.uri)}">\n${resource.text}\n</file>` };
      const { blob, mimeType, uri } = resource;
      if (!mimeType?.startsWith("image/"))
        throw usageError(`${uri} is neither text nor a picture. Send a link to it, and the agent reads it itself.`);
      return givenPicture(uri, blob);
    }
    default:
      throw usageError(`Blocks of type ${block.type} cannot be sent to this agent.`);
  }
}

/** A path for a file of this machine, else the address. */
function placeOf(uri: string): string {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : uri;
  } catch {
    return uri; // of another host, or not well formed: the model sees what was sent
  }
}
