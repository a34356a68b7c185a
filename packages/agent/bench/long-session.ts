// A long session as people have them: rounds of a prompt, a call, a 4 KB result and an answer, compacted every 200 rounds.

import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { Message } from "@lathe/llm";
import { idSource } from "../src/record/journal/ids.ts";
import { encodeLine } from "../src/record/journal/line.ts";

const RESULT = "a line of output that a tool might give\n".repeat(100);

/** Gives the size of the file. */
export function writeLongSession(path: string, bytes: number): number {
  const fd = openSync(path, "w");
  const newId = idSource(Math.random);
  const put = (line: object) => writeSync(fd, encodeLine(line));
  const timestamp = "2026-01-01T00:00:00.000Z";
  put({ type: "session", version: 4, id: "long", timestamp, cwd: "/" });
  let parentId: string | null = null;
  let firstKeptEntryId = "";
  const entry = (body: { type: string } & Record<string, unknown>, id = newId()) => {
    const { type, ...rest } = body;
    put({ type, id, parentId, timestamp, ...rest });
    parentId = id;
    return id;
  };
  let size = 0;
  for (let round = 0; size < bytes; round++) {
    firstKeptEntryId = entry({ type: "message", message: Message.user(`prompt ${round}`) });
    const outcome = newId();
    put({ type: "intent", id: newId(), for: outcome, effect: "request", replay: "safe", timestamp });
    const toolCall = { id: `c${round}`, name: "read", arguments: {}, type: "function" as const };
    const call = Message.assistant([{ kind: "tool_call", toolCall }]);
    entry({ type: "message", message: call, provider: "p", model: "m" }, outcome);
    entry({
      type: "message",
      summary: "a.txt",
      message: Message.toolResult({ toolCallId: toolCall.id, content: RESULT }),
    });
    entry({ type: "message", message: Message.assistant("done"), provider: "p", model: "m" });
    if (round % 200 === 199) entry({ type: "compaction", summary: "so far", firstKeptEntryId, tokensBefore: 1 });
    if (round % 100 === 0) size = statSync(path).size;
  }
  closeSync(fd);
  return size;
}
