// The searchable text of a journal line, and the piece of it that is shown with a hit.

import { readLineHead } from "@lathe/agent";
import type { ContentPart, JsonValue, Message } from "@lathe/llm";
import { oneLine } from "./list.ts";
import type { SearchQuery } from "./search-query.ts";
import { visible } from "./visible.ts";

const SEARCHED: ReadonlySet<string> = new Set([
  "message",
  "custom_message",
  "compaction",
  "branch_summary",
  "title",
  "label",
]);

/** Tells from the first bytes, so that other lines are never parsed. */
export const isSearched = (line: Buffer): boolean => SEARCHED.has(readLineHead(line)?.type ?? "");

export function searchText(line: Readonly<Record<string, unknown>>): string {
  const { message, content, summary, title, label } = line as {
    message?: Message;
    content?: string | readonly ContentPart[];
    summary?: string;
    title?: string;
    label?: string;
  };
  const parts = message?.content ?? content ?? summary ?? title ?? label ?? "";
  return typeof parts === "string" ? parts : parts.map(partText).join("\n");
}

function partText(part: ContentPart): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "thinking":
      return part.thinking.text;
    case "tool_call":
      return strings(part.toolCall.arguments).join("\n");
    case "tool_result":
      return strings(part.toolResult.content as JsonValue).join("\n");
    default:
      return "";
  }
}

function strings(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(strings);
}

export interface Snippet {
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

const BEFORE = 50;
const AFTER = 90;

export function snippetOf(raw: string, { patterns }: SearchQuery): Snippet {
  const text = visible(raw);
  const found = patterns.map((pattern) => pattern.exec(text)).find((hit) => hit !== null);
  if (!found) return { before: "", match: "", after: tidy(text.slice(0, BEFORE + AFTER)) };
  const end = found.index + found[0].length;
  const before = text.slice(Math.max(0, found.index - BEFORE), found.index);
  const after = text.slice(end, end + AFTER);
  return {
    before: tidy(found.index > BEFORE ? before.replace(/^\S+\s/, "") : before),
    match: tidy(found[0]),
    after: tidy(text.length > end + AFTER ? after.replace(/\s\S+$/, "") : after),
  };
}

/** One line; a space at the edge stays, it stands between two words. */
function tidy(text: string): string {
  return `${/^\s/.test(text) ? " " : ""}${oneLine(text)}${text.length > 1 && /\s$/.test(text) ? " " : ""}`;
}
