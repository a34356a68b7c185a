// Messages of the conversation: the user's messages, and answers as they stream in.

import type { WireEventOf, WireMessage } from "lathe/client";
import type { Item } from "./items.ts";
import { pictureOf } from "./pictures.ts";
import { add, type ItemDraft, replaceItem, type Transcript } from "./transcript-state.ts";
import { userDraft } from "./user-text.ts";

type MessageEvent = WireEventOf<"message_start"> | WireEventOf<"message_update"> | WireEventOf<"message_end">;
type Delta = WireEventOf<"message_update">["assistantMessageEvent"];

export function afterMessage(transcript: Transcript, event: MessageEvent): Transcript {
  if (event.type === "message_update") return afterDelta(transcript, event.assistantMessageEvent);
  const { message } = event;
  if (message.role === "assistant")
    return event.type === "message_start"
      ? { ...transcript, answerFrom: transcript.items.length }
      : afterAnswer(transcript, event.discarded ? [] : draftsOf(message));
  if (message.role !== "user" || event.type === "message_end") return transcript;
  return add(transcript, userDraft(message, transcript.hasTurns ? "steered" : "sent"));
}

function afterDelta(transcript: Transcript, delta: Delta): Transcript {
  if (delta.type === "toolcall_delta") return { ...transcript, activity: "Preparing a call" };
  const kind = delta.type === "text_delta" ? "text" : "thinking";
  const at = transcript.items.length - 1;
  const last = transcript.items[at];
  const streaming = { ...transcript, activity: undefined, answerFrom: transcript.answerFrom ?? at + 1 };
  if (last?.kind !== kind || at < streaming.answerFrom) return add(streaming, { kind, text: delta.delta });
  return { ...streaming, items: replaceItem(transcript.items, at, { ...last, text: last.text + delta.delta }) };
}

/** Replaces what streamed in by the complete answer; existing items keep their keys. */
function afterAnswer(transcript: Transcript, drafts: readonly ItemDraft[]): Transcript {
  const from = transcript.answerFrom ?? transcript.items.length;
  const streamed = transcript.items.slice(from);
  const isAnswer = ({ kind }: Item): boolean => kind === "text" || kind === "thinking";
  const names = streamed.filter(isAnswer);
  const others = streamed.filter((item) => !isAnswer(item));
  const cut = { ...transcript, items: transcript.items.slice(0, from), answerFrom: undefined, activity: undefined };
  const done = add(cut, ...drafts);
  const items = done.items.map((item, at) => {
    const name = at < from ? undefined : names[at - from];
    return name?.kind === item.kind ? { ...item, key: name.key } : item;
  });
  return { ...done, items: others.length === 0 ? items : [...items, ...others] };
}

const draftsOf = ({ content }: WireMessage): ItemDraft[] =>
  content.flatMap((part): ItemDraft | [] => {
    if (part.kind === "text") return part.text.trim() === "" ? [] : { kind: "text", text: part.text };
    if (part.kind === "tool_call") return { kind: "call", callId: part.toolCall.id, state: "pending", live: "" };
    if (part.kind === "image") return { kind: "picture", picture: pictureOf(part.image) };
    if (part.kind !== "thinking" || part.thinking.text.trim() === "") return [];
    return { kind: "thinking", text: part.thinking.text };
  });
