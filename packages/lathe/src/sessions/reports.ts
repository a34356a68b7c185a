// Messages to the model that are not from the user: from background jobs, agents, programs and the loop itself. Users
// read them without the tags and notes meant for the model.

import { oneLine } from "@lathe/agent/base";
import type { MessageEntry, MessageSource } from "@lathe/agent/contract";
import { isUserMessage } from "@lathe/agent/record";
import { textOf } from "@lathe/llm";

export interface Report {
  /** Who sent it and what it is, in a few words. */
  readonly title: string;
  readonly text: string;
}

/** Undefined if the message is from the user or does not go to the model. */
export function reportOf(entry: MessageEntry): Report | undefined {
  const { message, origin, source } = entry;
  if (message.role !== "user" || isUserMessage(entry)) return undefined;
  const content = textOf(message);
  if (source && source.kind !== "user") return reportFrom(source, content);
  return { title: origin === "loop_detection" ? "Loop guard" : "Note to the model", text: withoutTags(content) };
}

/** How much of an agent's result is shown; the hub and `agent://` have all of it. */
const MOST_OF_RESULT = 200;

export function reportLine(source: MessageSource, content: string): string {
  const { title, text } = reportFrom(source, content);
  if (source.kind === "job") return title;
  const said = oneLine(text);
  const isLong = source.kind === "agent" && source.type === undefined && said.length > MOST_OF_RESULT;
  return `${title}: ${isLong ? `${said.slice(0, MOST_OF_RESULT)}… (/agents ${source.id})` : said}`;
}

function reportFrom({ kind, id, type }: MessageSource, content: string): Report {
  const text = withoutTags(content);
  if (type === "irc:incoming") return { title: `${id} writes`, text };
  if (kind === "agent") return { title: `${id ?? kind}${HAS_FAILED.test(content) ? " failed" : ""}`, text };
  if (kind !== "job") return { title: id ?? kind, text };
  if (id === undefined) return { title: "Background jobs ended with the earlier process.", text };
  const [, command, output = text] = /^\$ (.*)\n?([\s\S]*)$/.exec(text) ?? [];
  return { title: `Job ${id} has ended: ${command ?? oneLine(text)}`, text: output };
}

const HAS_FAILED = /^<agent_result [^>\n]*status="failed">/;
const TAG_LINE = /^<\/?(?:agent_result|background_jobs?|irc_message|rule|instructions)\b[^<>]*>$/;
const FOR_THE_MODEL = /^\[.* (transcript is at history|output is at agent):\/\/\S+\]$|^SYSTEM WARNING: /;

const withoutTags = (content: string): string =>
  content
    .replace(/<\/?system-[\w-]+>/g, "")
    .split("\n")
    .filter((line) => !TAG_LINE.test(line) && !FOR_THE_MODEL.test(line))
    .join("\n")
    .trim();
