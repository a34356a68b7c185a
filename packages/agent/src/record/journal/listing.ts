// What a list of sessions shows, read only from the ends of a file: at most 4 KiB from the start and 4 KiB from the
// end.

import { closeSync, fstatSync, readSync } from "node:fs";
import type { MessageEntry, SessionHeader, TitleLine } from "../../contract/journal.ts";
import { parseChecked } from "./decode.ts";
import { isIntact, readLineHead } from "./line.ts";
import { headerChecker, misfitsOf } from "./line-shapes.ts";
import { openRegularFile } from "./regular-file.ts";
import { claimedVersion } from "./scan.ts";

const END_BYTES = 4096;

/** What a list shows of a session, read from the two ends of its file. */
export interface SessionSummary {
  readonly header: SessionHeader;
  readonly title?: string;
  /** Text of the first user message, as far as the first 4 KiB contain it. */
  readonly firstText?: string;
  /** Whether the first 4 KiB contain a message from the user, or from a host on their behalf. */
  readonly hasMessage: boolean;
  readonly bytes: number;
  readonly mtimeMs: number;
}

/** Undefined if the file does not begin with a readable header. */
export function readHead(path: string): SessionSummary | undefined {
  const fd = openRegularFile(path);
  try {
    const { size, mtimeMs } = fstatSync(fd);
    const head = readAt(fd, 0, END_BYTES);
    const lines = splitLines(head);
    const header = headerOf(lines[0] ?? head);
    if (!header) return undefined;
    const tail = size > END_BYTES ? readAt(fd, size - END_BYTES, END_BYTES) : head;
    const title = lastTitle(splitLines(tail)) ?? lastTitle(lines) ?? header.title;
    const firstText = firstUserText(lines.slice(1));
    return {
      header,
      ...(title === undefined ? {} : { title }),
      ...(firstText === undefined ? {} : { firstText }),
      hasMessage: lines.some((line) => MESSAGES.has(readLineHead(line)?.type ?? "")),
      bytes: size,
      mtimeMs,
    };
  } finally {
    closeSync(fd);
  }
}

const MESSAGES: ReadonlySet<string> = new Set(["message", "custom_message"]);

function headerOf(line: Buffer): SessionHeader | undefined {
  const parsed = parseChecked(line);
  if (claimedVersion(line) === undefined || "problem" in parsed) return undefined;
  return headerChecker.fits(parsed.value) ? (parsed.value as unknown as SessionHeader) : undefined;
}

function readAt(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
}

/** The parts between newlines; the last one may be incomplete. */
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
  return line && usable<TitleLine>(line, "title")?.title;
}

/** The value as stored in its line, if it has the fields of its kind. */
function usable<T>(line: Buffer, type: string): T | undefined {
  const parsed = parseChecked(line);
  if ("problem" in parsed || parsed.value["type"] !== type) return undefined;
  return misfitsOf(type, parsed.value).problem === undefined ? (parsed.value as T) : undefined;
}

function firstUserText(lines: readonly Buffer[]): string | undefined {
  for (const line of lines) {
    if (readLineHead(line)?.type !== "message") continue;
    const text = isIntact(line) ? wholeText(line) : partialText(line);
    if (text !== undefined) return text;
  }
  return undefined;
}

function wholeText(line: Buffer): string | undefined {
  const parsed = parseChecked(line);
  const message = "problem" in parsed ? undefined : (parsed.value["message"] as MessageEntry["message"] | undefined);
  if (message?.role !== "user" || !Array.isArray(message.content)) return undefined;
  // Blobs are not loaded here, so pictures do not pass the check; only the text matters.
  return message.content
    .flatMap((part) => (part?.kind === "text" && typeof part.text === "string" ? [part.text] : []))
    .join("\n");
}

/** The message extends beyond what was read: returns the available part of its first text. */
function partialText(line: Buffer): string | undefined {
  const raw = /"message":\{"role":"user","content":\[\{"kind":"text","text":"((?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*)/i.exec(
    line.toString("utf8"),
  )?.[1];
  const parsed = raw === undefined ? undefined : parseChecked(Buffer.from(`{"text":"${raw}"}`));
  return parsed && "value" in parsed ? (parsed.value["text"] as string) : undefined;
}
