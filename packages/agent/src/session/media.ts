// Reads the files that an input names by path when the input arrives: the journal keeps what was sent, and a file may
// be gone by the next request.

import { messageOf, namesFiles, readFiles } from "@lathe/llm";
import type { InputContent, InputPart } from "../contract/events/types.ts";
import type { HostChoices, SessionLog } from "./facades.ts";
import type { QueuedMessage } from "./inbox.ts";

/** Rejects when a file cannot be read. */
export async function withFiles(core: HostChoices, content: InputContent): Promise<InputContent> {
  return typeof content === "string" ? content : readParts(core, content);
}

const readParts = async (core: HostChoices, parts: readonly InputPart[]): Promise<readonly InputPart[]> =>
  // Bytes take the place of paths; the kinds stay.
  (await readFiles(parts, filesOf(core))) as readonly InputPart[];

/** Paths are relative to the session's environment, which also resolves a leading ~. */
function filesOf(core: HostChoices) {
  return { readFile: (path: string) => core.options.env.readBytes(path), homeDir: "~" };
}

export function hasFiles(content: InputContent): boolean {
  return typeof content !== "string" && namesFiles(content);
}

/**
 * For messages that waited in the queue: it is too late to refuse them, so the model gets a note about missing files.
 * Synchronous if the message names no files.
 */
export function readQueued(
  core: SessionLog & HostChoices,
  messages: readonly QueuedMessage[],
): readonly QueuedMessage[] | Promise<readonly QueuedMessage[]> {
  if (!messages.some(({ content }) => hasFiles(content))) return messages;
  return Promise.all(
    messages.map(async (message) => ({ ...message, content: await withNotes(core, message.content) })),
  );
}

async function withNotes(core: SessionLog & HostChoices, content: InputContent): Promise<InputContent> {
  if (typeof content === "string" || !hasFiles(content)) return content;
  const parts = content.map(async (part): Promise<InputPart> => {
    try {
      return (await readParts(core, [part]))[0] ?? part;
    } catch (error) {
      core.warn(messageOf(error), "unreadable_file");
      return { kind: "text", text: `[${messageOf(error)}]` };
    }
  });
  return Promise.all(parts);
}
