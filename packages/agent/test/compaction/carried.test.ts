// The part below every summary: files, failures, and where they come from.

import { Message } from "@lathe/llm";
import { expect, it } from "vitest";
import { carriedText } from "../../src/context/compaction/carried.ts";
import { detailsOf, hiddenWork } from "../../src/context/compaction/history.ts";
import type { MessageEntry, TreeEntry } from "../../src/contract/journal.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { readFileTool } from "../../src/tools/builtin/read-file/index.ts";
import { writeFileTool } from "../../src/tools/builtin/write-file/index.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { setUp, testProfile } from "../support/session.ts";

let ids = 0;
const result = (more: Partial<MessageEntry>, content = "ok", isError = false): TreeEntry => ({
  type: "message",
  id: `e${ids++}`,
  parentId: null,
  timestamp: "",
  message: Message.toolResult({ toolCallId: "c", content, isError }),
  ...more,
});

it("CO-05 20 files and how many more, those that were changed first; read and then changed is RW", () => {
  const reads = Array.from({ length: 24 }, (_, n) => result({ reads: [`/project/src/file${n}.ts`] }));
  const change = { kind: "edit", path: "/project/src/file23.ts" } as unknown as NonNullable<MessageEntry["changes"]>[0];
  const text = carriedText(
    hiddenWork([...reads, result({ changes: [change] }), result({ reads: ["/etc/hosts"] })], undefined),
    [],
    "/project",
  );
  const lines = text.split("\n");
  expect(lines[0]).toBe("<files>");
  expect(lines[1]).toBe("src/file23.ts (RW)");
  expect(lines).toContain("/etc/hosts (Read)");
  expect(lines.filter((line) => /\((Read|Write|RW)\)$/.test(line))).toHaveLength(20);
  expect(lines.at(-2)).toBe("[5 more files left out]");
});

it("CO-05 adds up over compactions; what is only read excludes what was changed", () => {
  const first = hiddenWork([result({ reads: ["/a", "/b"] }), result({}, "No such file\nmore", true)], undefined);
  const change = { kind: "edit", path: "/a" } as unknown as NonNullable<MessageEntry["changes"]>[0];
  const second = hiddenWork([result({ changes: [change], summary: "/a" })], detailsOf(first));
  expect(detailsOf(second)).toEqual({
    readFiles: ["/b"],
    modifiedFiles: ["/a"],
    readAndModifiedFiles: ["/a"],
    failures: ["a call: No such file"],
  });
});

it("CO-05 the journal says which files a result shows and which a call changed", async () => {
  const env = new MemoryEnvironment({ files: { "a.txt": "hello\n" } });
  const tools = [readFileTool, writeFileTool] as unknown as ToolDef[];
  const s = setUp({
    env,
    profile: testProfile(tools),
    script: [
      { calls: [{ name: "read_file", id: "r", args: { file_path: "a.txt" } }] },
      { calls: [{ name: "write_file", id: "w", args: { file_path: "b.txt", content: "x" } }] },
      { text: "done" },
    ],
  });
  await s.session.submit("go");
  const entries = [...s.session.journal.entryIds()].map((id) => s.session.journal.entry(id));
  const { files } = hiddenWork(entries, undefined);
  expect(files.map(({ path, read, written }) => [path.split("/").at(-1), read, written])).toEqual([
    ["a.txt", true, false],
    ["b.txt", false, true],
  ]);
  await s.finish();
});
