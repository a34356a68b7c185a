// What the client's user has sent, as an input of the session: text, pictures, files that the client put in, and links.

import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { InputContent } from "@lathe/agent";
import type { ContentPart } from "@lathe/llm";
import { givenPicture } from "../../conversation/given-picture.ts";
import { usageError } from "../../platform/usage/exit.ts";

/** What is typed stands last, as after attachments everywhere: a command is looked for there. */
export function inputOf(blocks: readonly ContentBlock[]): InputContent {
  const parts = blocks.map(partOf);
  const isText = (part: ContentPart): boolean => part.kind === "text";
  if (parts.length === 0) throw usageError("The prompt is empty. Send at least one block.");
  if (!parts.every(isText)) return parts;
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  if (text.trim() === "") throw usageError("The prompt is empty. Send at least one block with text.");
  return text;
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
        return { kind: "text", text: `\n<file path="${placeOf(resource.uri)}">\n${resource.text}\n</file>\n` };
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
