// A journal of many small entries, the worst case for what is kept of each: prompts, calls, results and answers in turn.

import { closeSync, openSync, writeSync } from "node:fs";
import { Message } from "@lathe/llm";
import { encodeLine } from "../src/record/journal/line.ts";

const CHUNK = 1 << 20;

/** Gives the size of the file. */
export function writeManyEntries(path: string, count: number): number {
  const fd = openSync(path, "w");
  const timestamp = "2026-01-01T00:00:00.000Z";
  let held: Buffer[] = [];
  let heldBytes = 0;
  let size = 0;
  const flush = (): void => {
    writeSync(fd, Buffer.concat(held));
    held = [];
    heldBytes = 0;
  };
  const put = (line: object): void => {
    const bytes = encodeLine(line);
    held.push(bytes);
    heldBytes += bytes.length;
    size += bytes.length;
    if (heldBytes > CHUNK) flush();
  };
  put({ type: "session", version: 4, id: "many", timestamp, cwd: "/" });
  let parentId: string | null = null;
  for (let at = 0; at < count; at++) {
    // Random ones of this length meet now and then among so many.
    const id = at.toString(36).padStart(8, "0");
    put({ type: "message", id, parentId, timestamp, message: messageAt(at) });
    parentId = id;
  }
  flush();
  closeSync(fd);
  return size;
}

function messageAt(at: number): Message {
  const id = `call_${at - (at % 4)}`;
  switch (at % 4) {
    case 0:
      return Message.user(`prompt ${at}`);
    case 1: {
      const toolCall = { id, name: "read", arguments: { path: "a.txt" }, type: "function" as const };
      return Message.assistant([{ kind: "tool_call", toolCall }]);
    }
    case 2:
      return Message.toolResult({ toolCallId: id, content: "the text of a file" });
    default:
      return Message.assistant(`answer ${at}`);
  }
}
