// What a person needs to see of a session they go on with: the last thing said, and the end of the answer.

import type { Journal } from "@lathe/agent";
import { transcriptOf } from "../../sessions/transcript.ts";
import { visible } from "../../sessions/visible.ts";

const PROMPT_LINES = 3;
const ANSWER_LINES = 10;

export function recall(journal: Journal, line: (text: string) => void): void {
  const { items } = transcriptOf(journal);
  const asked = items.findLast((item) => item.type === "user");
  const answered = items.findLast((item) => item.type === "assistant");
  if (asked) for (const text of firstLines(`› ${visible(asked.text).trim()}`)) line(text);
  const texts = (answered?.parts ?? []).flatMap((part) => (part.kind === "text" ? [part.text] : []));
  for (const text of lastLines(visible(texts.join("\n")).trim())) line(text);
}

function firstLines(text: string): string[] {
  const lines = text.split("\n");
  return lines.length <= PROMPT_LINES ? lines : [...lines.slice(0, PROMPT_LINES), "…"];
}

function lastLines(text: string): string[] {
  const lines = text === "" ? [] : text.split("\n");
  return lines.length <= ANSWER_LINES ? lines : ["…", ...lines.slice(-ANSWER_LINES)];
}
