// Calls inside calls, as users read the session later.

import { Journal, MemoryBlobs, MemoryStore } from "@lathe/agent";
import { Message } from "@lathe/llm";
import { expect, it } from "vitest";
import { auditOf } from "./audit.ts";
import { transcriptOf } from "./transcript.ts";
import { treeLine, treeRows } from "./tree-rows.ts";

function sessionWithCell(): Journal {
  let n = 0;
  const blobs = new MemoryBlobs();
  const newId = () => `entry${String(++n).padStart(3, "0")}`;
  const journal = Journal.create({ id: "s", cwd: "/home/ann/app" }, () => new MemoryStore(), {
    blobs,
    now: () => 0,
    newId,
  });
  journal.append({ type: "message", message: Message.user("run it"), origin: "input" });
  const toolCall = { id: "c", name: "cell", arguments: { code: "1" }, type: "function" as const };
  journal.append({ type: "message", message: { role: "assistant", content: [{ kind: "tool_call", toolCall }] } });
  journal.write({ type: "decision", callId: "c/1", within: "c", decision: "allow", by: "user" });
  const after = { sha256: blobs.put(Buffer.from("new\n")), bytes: 4 };
  const inner = Message.toolResult({ toolCallId: "c/1", content: "Wrote a.txt", isError: false });
  journal.append({
    type: "nested_call",
    callId: "c/1",
    within: "c",
    tool: "write",
    arguments: { path: "a.txt" },
    summary: "a.txt",
    changes: [{ path: "/home/ann/app/a.txt", after, added: 1, removed: 0 }],
    message: inner,
  });
  const outer = Message.toolResult({ toolCallId: "c", content: "ran", isError: false });
  journal.append({ type: "message", message: outer, summary: "1" });
  return journal;
}

it("a transcript shows a call inside a call after the one that made it, with what it changed", () => {
  const items = [...transcriptOf(sessionWithCell()).items()];
  expect(items.map(({ type }) => type)).toEqual(["user", "assistant", "note"]);
  expect(items[2]).toMatchObject({
    title: "write a.txt, called by c",
    text: expect.stringMatching(/^Wrote a\.txt\n[\s\S]*\+new/),
  });
  const [, answer] = items;
  expect(answer?.type === "assistant" && answer.parts).toMatchObject([{ call: { id: "c", result: { text: "ran" } } }]);
});

it("the tree has it among all entries only, and the audit names its tool", () => {
  const journal = sessionWithCell();
  const lines = (filter: "default" | "all") => [...treeRows(journal, filter)].map((row) => treeLine(row));
  expect(lines("default").join("\n")).not.toContain("nested call");
  expect(lines("all").filter((line) => line.includes("nested call: [write] a.txt"))).toHaveLength(1);
  expect(auditOf(journal)).toMatchObject([{ callId: "c/1", within: "c", tool: "write", call: '{"path":"a.txt"}' }]);
});
