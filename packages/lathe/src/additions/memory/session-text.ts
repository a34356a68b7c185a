// A session as text for the model that extracts memories: the user's messages and the agent's answers, without tool
// output and without answers that repeat it.

import type { Journal } from "@lathe/agent";
import type { TreeEntry } from "@lathe/agent/contract";
import { isUserMessage, pathTo } from "@lathe/agent/record";
import { textOf } from "@lathe/llm";
import { wordsAndAttachments } from "../../sessions/attached-text.ts";
import { findRepeated } from "./fit-to-remember.ts";
import { textsOfOthers } from "./texts-by-speaker.ts";

interface SpokenPart {
  /** Id of the entry. */
  readonly entry: string;
  readonly who: "user" | "agent";
  readonly text: string;
}

export interface SessionText {
  readonly parts: readonly SpokenPart[];
  /**
   * Real paths of the files that the session read or changed, and the time of its end, to judge whether they have
   * changed since.
   */
  readonly files: readonly string[];
  readonly endedAt: number;
}

/** How much we keep of the beginning, which has the task, and of the end, which has the outcome. */
const FIRST_CHARS = 10_000;
const LAST_CHARS = 50_000;
const MOST_FILES = 200;

export function sessionText(journal: Journal): SessionText {
  const ids = pathTo(journal, journal.leaf);
  const parts: SpokenPart[] = [];
  const files = new Set<string>();
  let endedAt = 0;
  for (const id of ids) {
    const entry = journal.entry(id);
    endedAt = Math.max(endedAt, Date.parse(entry.timestamp) || 0);
    parts.push(...spokenIn(entry));
    for (const path of filesIn(entry)) if (files.size < MOST_FILES) files.add(path);
  }
  const agents = parts.filter(({ who }) => who === "agent").map(({ text }) => text);
  const quoted = findRepeated(agents, textsOfOthers(journal));
  const foreign = new Set([...quoted].map((at) => agents[at]));
  const own = parts.filter(({ who, text }) => who === "user" || !foreign.has(text));
  return { parts: keepBothEnds(own), files: [...files], endedAt };
}

/** The user's messages in it, uncut. */
export const saidByUser = ({ parts }: SessionText): readonly string[] =>
  parts.filter(({ who }) => who === "user").map(({ text }) => text);

function spokenIn(entry: TreeEntry): SpokenPart[] {
  if (entry.type !== "message") return [];
  const { id, message } = entry;
  // Paragraphs are separate, so that one that repeats tool output is dropped alone.
  if (message.role === "assistant") return spokenParts(id, "agent", textOf(message).split(/\n\s*\n/));
  return isUserMessage(entry) ? spokenParts(id, "user", [wordsAndAttachments(message.content).words]) : [];
}

const spokenParts = (entry: string, who: SpokenPart["who"], texts: readonly string[]): SpokenPart[] =>
  texts.flatMap((text) => (text.trim() === "" ? [] : [{ entry, who, text: text.trim() }]));

function filesIn(entry: TreeEntry): readonly string[] {
  if (entry.type !== "message" && entry.type !== "nested_call") return [];
  return [...(entry.reads ?? []), ...(entry.changes ?? []).map(({ path }) => path)];
}

function keepBothEnds(parts: readonly SpokenPart[]): readonly SpokenPart[] {
  let first = FIRST_CHARS;
  const head = parts.findIndex(({ text }) => {
    first -= text.length;
    return first < 0;
  });
  if (head < 0) return parts;
  let last = LAST_CHARS;
  const fromTail = parts.findLastIndex(({ text }) => {
    last -= text.length;
    return last < 0;
  });
  const tail = fromTail + 1;
  return [...parts.slice(0, head), ...parts.slice(Math.max(head, tail))];
}
