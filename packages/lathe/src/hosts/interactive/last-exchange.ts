// What a user sees of a resumed session: the last prompt and the end of its answer. It reads nothing older, because the
// session may be long.

import type { Journal } from "@lathe/agent";
import type { MessageEntry } from "@lathe/agent/contract";
import { pathTo } from "@lathe/agent/record";
import { textOf } from "@lathe/llm";
import { wordsAndAttachments } from "../../sessions/attached-text.ts";
import { visible } from "../../sessions/visible.ts";

const PROMPT_LINES = 3;
const ANSWER_LINES = 10;

export function printLastExchange(journal: Journal, line: (text: string) => void): void {
  let answer = "";
  for (const id of pathTo(journal, journal.leaf).reverse()) {
    const entry = journal.entry(id);
    if (entry.type !== "message") continue;
    if (entry.message.role === "assistant") answer ||= textOf(entry.message).trim();
    else if (isUserMessage(entry)) {
      const said = wordsAndAttachments(entry.message.content).words.trim();
      for (const text of firstLines(`› ${visible(said)}`)) line(text);
      break;
    }
  }
  for (const text of lastLines(visible(answer))) line(text);
}

/** Whether the user wrote the message, not Lathe. */
const isUserMessage = ({ message, origin = "input", source }: MessageEntry): boolean =>
  message.role === "user" && !source && (origin === "input" || origin === "steering" || origin === "follow_up");

function firstLines(text: string): string[] {
  const lines = text.split("\n");
  return lines.length <= PROMPT_LINES ? lines : [...lines.slice(0, PROMPT_LINES), "…"];
}

function lastLines(text: string): string[] {
  const lines = text === "" ? [] : text.split("\n");
  return lines.length <= ANSWER_LINES ? lines : ["…", ...lines.slice(-ANSWER_LINES)];
}
