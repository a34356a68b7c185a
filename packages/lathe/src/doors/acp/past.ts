// The history of a reopened session, as updates from which the editor builds its transcript.

import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Session } from "@lathe/agent";
import type { MessageEntry, TreeEntry } from "@lathe/agent/contract";
import { pathTo } from "@lathe/agent/record";
import { pastCard } from "@lathe/agent/session";
import type { ContentPart, ToolCallData } from "@lathe/llm";
import { pastTool, resultsByCall } from "../../sessions/call-results.ts";
import { contentOf, kindOf, locationsOf, titleOf } from "./calls.ts";
import { messageChunk } from "./updates.ts";

export function* pastUpdates(session: Session): IterableIterator<SessionUpdate> {
  const { journal } = session;
  const path = pathTo(journal, journal.leaf);
  for (const [at, id] of path.entries()) {
    const entry: TreeEntry = journal.entry(id);
    if (entry.type !== "message") continue;
    if (entry.message.role === "user") yield* userUpdates(entry);
    if (entry.message.role !== "assistant") continue;
    const calls = entry.message.content.some(({ kind }) => kind === "tool_call");
    const results = calls ? resultsByCall(journal, path, at) : new Map<string, MessageEntry>();
    for (const part of entry.message.content) yield* answerUpdates(session, part, results);
  }
}

function* userUpdates({ message, origin, source }: MessageEntry): IterableIterator<SessionUpdate> {
  const isPersons = origin !== "loop_detection" && origin !== "injected" && (source?.kind ?? "user") === "user";
  if (!isPersons) return;
  for (const part of message.content) {
    const content = blockOf(part);
    if (content) yield { sessionUpdate: "user_message_chunk", content };
  }
}

function* answerUpdates(
  session: Session,
  part: ContentPart,
  results: ReadonlyMap<string, MessageEntry>,
): IterableIterator<SessionUpdate> {
  if (part.kind === "text" && part.text !== "") yield messageChunk("agent_message_chunk", part.text);
  if (part.kind === "thinking" && part.thinking.text !== "")
    yield messageChunk("agent_thought_chunk", part.thinking.text);
  if (part.kind === "tool_call") yield callUpdate(session, part.toolCall, results.get(part.toolCall.id));
}

function callUpdate(session: Session, call: ToolCallData, entry: MessageEntry | undefined): SessionUpdate {
  const card = pastCard(pastTool(session, call.name), call, entry);
  const changes = entry?.changes ?? [];
  const result = entry?.message.content.find((part) => part.kind === "tool_result");
  const isError = result?.kind === "tool_result" && result.toolResult.isError;
  return {
    sessionUpdate: "tool_call",
    toolCallId: call.id,
    title: titleOf(card),
    kind: kindOf(
      changes.map(({ path }) => ({ kind: "write", path })),
      changes,
    ),
    status: isError || !entry ? "failed" : "completed",
    locations: [...locationsOf([], changes)],
    content: contentOf(card, changes, session.journal.blobs),
  };
}

function blockOf(part: ContentPart): ContentBlock | undefined {
  if (part.kind === "text") return { type: "text", text: part.text };
  if (part.kind !== "image" || !part.image.data || part.image.mediaType === undefined) return undefined;
  return { type: "image", data: Buffer.from(part.image.data).toString("base64"), mimeType: part.image.mediaType };
}
