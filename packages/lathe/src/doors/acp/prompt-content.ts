// Converts a prompt of the client to an input of the session: text, pictures, embedded files and links.

import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { InputContent, InputPart } from "@lathe/agent";
import { decodePicture } from "../../conversation/client-picture.ts";
import { isAttachedText } from "../../conversation/typed-addresses.ts";
import { usageError } from "../../platform/usage/exit.ts";

/** Keeps typed text last, after attachments: that is where slash commands are looked for. */
export function inputOf(blocks: readonly ContentBlock[]): InputContent {
  if (blocks.length === 0) throw usageError("The prompt is empty. Send at least one block.");
  const parts: InputPart[] = [];
  for (const part of blocks.map(partOf)) {
    const last = parts.at(-1);
    // The user did not type the text of an attached file, so it stays a separate part.
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

function partOf(block: ContentBlock): InputPart {
  switch (block.type) {
    case "text":
      return { kind: "text", text: block.text };
    case "image":
      return decodePicture("The picture", block.data);
    case "resource_link":
      return { kind: "text", text: ` ${placeOf(block.uri)} ` };
    case "resource": {
      const { resource } = block;
      if ("text" in resource)
        return { kind: "text", text: `<file path="${placeOf(resource.uri)}">\n${resource.text}\n</file>` };
      const { blob, mimeType, uri } = resource;
      if (!mimeType?.startsWith("image/"))
        throw usageError(`${uri} is neither text nor a picture. Send a link to it, and the agent reads it itself.`);
      return decodePicture(uri, blob);
    }
    default:
      throw usageError(`Blocks of type ${block.type} cannot be sent to this agent.`);
  }
}

/** The path of a file on this machine; any other address stays as it is. */
function placeOf(uri: string): string {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : uri;
  } catch {
    return uri; // a file on another host, or malformed: the model sees what was sent
  }
}
