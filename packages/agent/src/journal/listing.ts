// What a list of sessions shows, from the ends of a file only: at most 4 KiB from the start and 4 KiB from the end.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isIntact, parseLine, readLineHead } from "./line.ts";
import { claimedVersion } from "./scan.ts";
import type { MessageEntry, SessionHeader, TitleLine } from "./types.ts";

const END_BYTES = 4096;

export interface SessionSummary {
  readonly header: SessionHeader;
  readonly title?: string;
  /** Text of the first user message, cut where the first 4 KiB end. */
  readonly firstText?: string;
  readonly bytes: number;
  readonly mtimeMs: number;
}

/** Undefined for a file that does not begin with a readable header. */
export function readHead(path: string): SessionSummary | undefined {
  const fd = openSync(path, "r");
  try {
    const { size, mtimeMs } = fstatSync(fd);
    const head = readAt(fd, 0, END_BYTES);
    const lines = splitLines(head);
    if (claimedVersion(lines[0] ?? head) === undefined) return undefined;
    const header = parseLine(lines[0] ?? head) as unknown as SessionHeader;
    const tail = size > END_BYTES ? readAt(fd, size - END_BYTES, END_BYTES) : head;
    const title = lastTitle(splitLines(tail)) ?? lastTitle(lines) ?? header.title;
    const firstText = firstUserText(lines.slice(1));
    return {
      header,
      ...(title === undefined ? {} : { title }),
      ...(firstText === undefined ? {} : { firstText }),
      bytes: size,
      mtimeMs,
    };
  } finally {
    closeSync(fd);
  }
}

function readAt(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
}

/** The pieces between newlines; the last one may be cut. */
function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  if (from < bytes.length) lines.push(bytes.subarray(from));
  return lines;
}

function lastTitle(lines: readonly Buffer[]): string | undefined {
  const line = lines.findLast((candidate) => readLineHead(candidate)?.type === "title" && isIntact(candidate));
  return line && (parseLine(line) as unknown as TitleLine).title;
}

function firstUserText(lines: readonly Buffer[]): string | undefined {
  for (const line of lines) {
    if (readLineHead(line)?.type !== "message") continue;
    const text = isIntact(line) ? wholeText(line) : cutText(line);
    if (text !== undefined) return text;
  }
  return undefined;
}

function wholeText(line: Buffer): string | undefined {
  const { message } = parseLine(line) as unknown as MessageEntry;
  if (message.role !== "user") return undefined;
  return message.content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

/** The message goes on beyond what was read: takes its first text as far as it is there. */
function cutText(line: Buffer): string | undefined {
  const raw = /"message":\{"role":"user","content":\[\{"kind":"text","text":"((?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*)/i.exec(
    line.toString("utf8"),
  )?.[1];
  return raw === undefined ? undefined : (JSON.parse(`"${raw}"`) as string);
}
