// The searchable texts of a journal, and the snippet shown with a hit.

import { closeSync, openSync, readSync } from "node:fs";
import type { BlobStore } from "@lathe/agent";
import type { JournalLine } from "@lathe/agent/contract";
import { readLine, readLineHead, readLines } from "@lathe/agent/record";
import type { ContentPart, JsonValue } from "@lathe/llm";
import { printableLine } from "./list.ts";
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

/** Position of a text in a journal. */
export interface TextPlace {
  readonly path: string;
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Visits the texts of the lines that begin at or after `from`, and returns where to continue when the file has grown.
 * Undefined if the file cannot be opened because it was removed or belongs to another user.
 */
export function eachText(
  path: string,
  from: number,
  blobs: BlobStore,
  visit: (text: string, place: TextPlace) => void,
): number | undefined {
  if (!canBeRead(path)) return undefined;
  return readLines(path, from, (line, offset) => {
    // The first bytes show the type, so other lines are never parsed.
    if (!SEARCHED.has(readLineHead(line)?.type ?? "")) return;
    const text = lineText(readLine(line, blobs)) ?? "";
    if (text !== "") visit(text, { path, offset, bytes: line.length });
  });
}

function canBeRead(path: string): boolean {
  try {
    closeSync(openSync(path, "r"));
    return true;
  } catch {
    return false;
  }
}

/** Undefined if the file has been replaced. */
export function textAt({ path, offset, bytes }: TextPlace, blobs: BlobStore): string | undefined {
  if (!canBeRead(path)) return undefined;
  const fd = openSync(path, "r");
  try {
    const line = Buffer.alloc(bytes);
    readSync(fd, line, 0, bytes, offset);
    return lineText(readLine(line, blobs));
  } finally {
    closeSync(fd);
  }
}

/** Undefined if the line is unusable or has no text. */
function lineText(line: JournalLine | undefined): string | undefined {
  switch (line?.type) {
    case "message":
      return line.message.content.map(partText).join("\n");
    case "custom_message":
      return typeof line.content === "string" ? line.content : line.content.map(partText).join("\n");
    case "compaction":
    case "branch_summary":
      return line.summary;
    case "title":
      return line.title;
    case "label":
      return line.label;
    default:
      return undefined;
  }
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

/**
 * Characters examined on each side of the hit. This is more than is shown: much of it may be escape sequences and
 * indentation.
 */
const AROUND = 1000;
/** Share of the remaining width for the text before the hit. */
const SHARE_BEFORE = 0.35;

export function snippetOf(text: string, { patterns }: SearchQuery, width: number): Snippet {
  const found = patterns.map((pattern) => pattern.exec(text)).find((hit) => hit !== null);
  const start = found?.index ?? 0;
  const end = start + (found?.[0].length ?? 0);
  const match = tidy(text.slice(start, end));
  const room = Math.max(0, width - match.length);
  const before = lastOf(tidy(text.slice(Math.max(0, start - AROUND), start)), Math.floor(room * SHARE_BEFORE));
  return { before, match, after: firstOf(tidy(text.slice(end, end + AROUND)), room - before.length) };
}

/** Cuts at whole words unless they are very long, and never inside a character. */
function lastOf(text: string, length: number): string {
  if (text.length <= length) return text;
  return `…${text.slice(text.length - length + 1).replace(/^\S{0,15} |^[\uDC00-\uDFFF]/, "")}`;
}

function firstOf(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/ \S{0,15}$|[\uD800-\uDBFF]$/, "")}…`;
}

/** Returns one line. A space at the edge is kept, because it separates two words. */
function tidy(raw: string): string {
  const text = visible(raw);
  return `${/^\s/.test(text) ? " " : ""}${printableLine(text)}${text.length > 1 && /\s$/.test(text) ? " " : ""}`;
}
