// What a message of the user's role says to a person: the user's words without the files that were sent along, or a report of a job,
// an agent or the loop, which is no message of the user.

import type { WireMessage } from "lathe/client";
import type { Picture, UserItem } from "./items.ts";
import { pictureOf } from "./pictures.ts";
import type { ItemDraft } from "./transcript-state.ts";

const ATTACHED = /^<(?:file path="(?<path>.*)"|stdin)>\n[\s\S]*\n<\/(?:file|stdin)>$/;
/** Around a picture, which is a part of its own. */
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

/** `how`: the way it came in. */
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
