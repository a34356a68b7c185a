// What a message with the role `user` shows: the user's words without the attached files, or the report of a job, an
// agent or the loop.

import type { WireMessage } from "lathe/client";
import type { Picture, UserItem } from "./items.ts";
import { pictureOf } from "./pictures.ts";
import type { ItemDraft } from "./transcript-state.ts";

const ATTACHED = /^<(?:file path="(?<path>.*)"|stdin)>\n[\s\S]*\n<\/(?:file|stdin)>$/;
/** Text parts around an attached picture. */
const TAG = /^<file path=".*">$|^<\/?(?:file|stdin)>$/;

const REPORTS: Readonly<Record<string, string>> = {
  agent_result: "An agent has ended",
  background_job: "A background job has ended",
  background_jobs: "Background jobs",
  irc_message: "A message of an agent",
  rule: "Rule for the model",
  instructions: "Instructions for the model",
};
const REPORT = /^<(?<tag>[a-z_]+|system-[\w-]+)\b[^<>]*>/;

/** `how` is the way in which it was sent. */
export function userDraft(message: WireMessage, how: UserItem["how"]): ItemDraft {
  const words: string[] = [];
  const attached: string[] = [];
  const pictures: Picture[] = [];
  for (const part of message.content) {
    if (part.kind === "image") pictures.push(pictureOf(part.image));
    else if (part.kind === "document") attached.push(part.document.fileName ?? "document");
    else if (part.kind === "audio") attached.push(part.audio.fileName ?? "recording");
    if (part.kind !== "text" || TAG.test(part.text)) continue;
    const groups = ATTACHED.exec(part.text)?.groups;
    if (groups) attached.push(groups["path"] ?? "piped text");
    else words.push(part.text);
  }
  const text = words.join("\n");
  return reportOf(text) ?? { kind: "user", text, how, attached, pictures };
}

function reportOf(text: string): ItemDraft | undefined {
  const tag = REPORT.exec(text)?.groups?.["tag"] ?? "";
  const title = tag.startsWith("system-") ? "Note to the model" : REPORTS[tag];
  if (title === undefined) return undefined;
  return { kind: "note", note: "info", text: title, more: text.replace(/^<\/?[a-z_-]+\b[^<>]*>$/gm, "").trim() };
}
