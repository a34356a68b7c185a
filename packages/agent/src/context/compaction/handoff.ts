// A briefing for a new session, written by the model that sees all of this one.

import { Message, textOf } from "@lathe/llm";
import type { JournalReader } from "../../contract/journal-reader.ts";
import type { SideCall } from "../../contract/seams/types.ts";
import { pathTo } from "../../record/journal/context.ts";
import { HANDOFF } from "./briefing.ts";
import { problemWith } from "./checklist.ts";
import { isFromPerson } from "./history.ts";
import { tokensOfText } from "./present-context.ts";
import prompt from "./prompts/handoff.md";
import { retryPrompt } from "./retry-prompt.ts";
import type { SummaryAnswer } from "./summarize.ts";

const TIMEOUT_MS = 300_000;

/**
 * The call for `session.callModel`. Tools stay available, so that the request continues the last one byte for byte.
 * `problem`: what was wrong with the first briefing; the second attempt has no tools.
 */
export function handoffCall(focus?: string, problem?: string): SideCall {
  const attention = focus === undefined ? "" : `\n\nThe user asks you to pay special attention to: ${focus}`;
  const again = problem === undefined ? "" : `\n\n${retryPrompt("briefing", problem)}`;
  return {
    messages: [Message.user(`${prompt.trim()}${attention}${again}`)],
    continuing: true,
    ...(problem === undefined ? {} : { toolChoice: { mode: "none" } }),
    timeoutMs: TIMEOUT_MS,
  };
}

export { problemForPeople } from "./checklist.ts";

/**
 * Why a briefing is not good enough for the next session to start from. `most`: the longest that is accepted, in
 * tokens.
 */
export const problemWithBriefing = (answer: SummaryAnswer, most: number): string | undefined =>
  problemWith(answer, { replaces: Number.POSITIVE_INFINITY, most, headings: true });

/** The kind of an entry that contains a user message of the previous session, word for word. */
export const HANDOFF_WORDS = "handoff_words";

/** The message that the new session gets. */
export const handoffMessage = (document: string, pointer: string): string =>
  `<handoff-context>\n${document}\n</handoff-context>\n\nThis is the briefing of an earlier session. Continue from it. ${pointer}`;

/** The user's messages on this branch, oldest first: the newest ones that fit. A briefing may omit them. */
export function wordsToKeep(journal: JournalReader, room: number): string[] {
  const words: string[] = [];
  let left = room;
  for (const id of pathTo(journal, journal.leaf).toReversed()) {
    const text = isFromPerson(journal, id) ? saidIn(journal, id) : "";
    const tokens = tokensOfText(text);
    if (text === "" || tokens > left) continue;
    words.push(text);
    left -= tokens;
  }
  return words.reverse();
}

function saidIn(journal: JournalReader, id: string): string {
  const entry = journal.entry(id);
  if (entry.type === "message") return textOf(entry.message).trim();
  if (entry.type !== "custom_message" || entry.customType === HANDOFF) return "";
  return typeof entry.content === "string" ? entry.content : textOf({ role: "user", content: entry.content }).trim();
}
