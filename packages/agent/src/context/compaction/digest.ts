// Notes made without a model, in case no summary can be had: the last messages, shortened. Always works.

import { type Message, textOf } from "@lathe/llm";
import { shorten } from "./serialize.ts";

const INTRO = "No summary could be made of the older part of this session. The last answers in it were:";
const TEXT_CHARS = 400;

/** The share of earlier notes, if there are any: they cover more than the last answers do. */
const PREVIOUS_SHARE = 0.6;

/** Makes a text of at most about `limit` characters, filled from the newest answer backwards. */
export function digest(
  messages: readonly Message[],
  previous: string | undefined,
  limit: number,
  intro = INTRO,
): string {
  const before = previous === undefined ? "" : `${shorten(previous, Math.floor(limit * PREVIOUS_SHARE))}\n\n`;
  const answers: string[] = [];
  let left = limit - before.length;
  for (const message of messages.toReversed()) {
    const text = message.role === "assistant" ? textOf(message).trim() : "";
    if (text === "") continue;
    const line = `- ${shorten(text.replaceAll("\n", " "), TEXT_CHARS)}`;
    if (line.length > left) break;
    answers.push(line);
    left -= line.length + 1;
  }
  return `${before}${[intro, ...answers.reverse()].join("\n")}`;
}
