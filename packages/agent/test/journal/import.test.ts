import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Message } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { importJournal } from "../../src/record/journal/import.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { tempFolder, testDeps, testOwner } from "./support.ts";

const at = "2025-01-01T00:00:00.000Z";
const message = (role: string, content: unknown, more: object = {}) => ({
  type: "message",
  timestamp: at,
  message: { role, content, ...more },
});
const text = (value: string) => [{ type: "text", text: value }];
const jsonl = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

/** Version 1: no version field, no ids, a compaction that counts lines. */
const versionOne = jsonl(
  { type: "session", id: "old", timestamp: at, cwd: "/w" },
  message("user", "one"),
  message("assistant", text("two"), { provider: "p", model: "m" }),
  message("user", "three"),
  { type: "compaction", timestamp: at, summary: "so far", firstKeptEntryIndex: 3, tokensBefore: 10 },
  message("hookMessage", "four", { customType: "hook", display: true }),
);

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

describe("a file of version 1 to 3", () => {
  it("G-26 SP-01 opens converted; the old file is never changed, the first append opens a new one", async () => {
    const folder = tempFolder();
    const oldPath = join(folder, "old.jsonl");
    const newPath = join(folder, "new.jsonl");
    write(oldPath, versionOne);
    const before = statSync(oldPath).mtimeMs;
    const openStore = () => new FileStore(newPath, { owner: testOwner(), create: true });
    const journal = importJournal(new FileStore(oldPath), { id: "new", openStore }, testDeps());
    expect(journal.context.messages).toEqual([
      Message.user("<compaction_summary>\nso far\n</compaction_summary>"),
      Message.user("three"),
      Message.user("four"),
    ]);
    expect(() => statSync(newPath)).toThrow("ENOENT");

    journal.setLabel(journal.leaf!, "here");
    journal.append({ type: "message", message: Message.user("five") });
    await journal.close();
    expect(readFileSync(oldPath, "utf8")).toBe(versionOne);
    expect(statSync(oldPath).mtimeMs).toBe(before);
    const opened = Journal.open(new FileStore(newPath), testDeps());
    expect(opened.header).toMatchObject({ version: 4, id: "new", cwd: "/w", timestamp: at, parentSession: oldPath });
    const ids = [...opened.entryIds()];
    expect(ids.map((id) => opened.meta(id)?.parentId)).toEqual([null, ...ids.slice(0, -1)]);
    expect(opened.context.messages).toHaveLength(4);
    expect(opened.losses).toEqual([]);
  });

  it("G-26 version 3 keeps its tree, thinking signatures, calls, results, usage and image blobs", () => {
    const blobs = new MemoryBlobs();
    const pixels = Uint8Array.from([1, 2, 3, 4]);
    const entry = (id: string, parentId: string | null, body: object) => ({ ...body, id, parentId });
    const old = jsonl(
      { type: "session", version: 3, id: "old", timestamp: at, cwd: "/w", title: "T" },
      entry(
        "a",
        null,
        message("user", [{ type: "image", data: `blob:sha256:${blobs.put(pixels)}`, mimeType: "image/png" }]),
      ),
      entry("b", "a", {
        ...message(
          "assistant",
          [
            { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
            { type: "toolCall", id: "c1", name: "read", arguments: { path: "x" } },
          ],
          {
            provider: "p",
            model: "m",
            stopReason: "toolUse",
            usage: { input: 5, output: 3, cacheRead: 2, cacheWrite: 1, cost: { total: 0.25 } },
          },
        ),
      }),
      entry("c", "b", message("toolResult", text("body"), { toolCallId: "c1", isError: false })),
      entry("z", "b", { type: "from_the_future", timestamp: at, what: 1 }),
      entry("d", "c", message("user", text("next"))),
    );
    const journal = importJournal(
      new MemoryStore(old),
      { id: "new", openStore: () => new MemoryStore() },
      testDeps({ blobs }),
    );
    expect(journal.losses).toEqual([]);
    expect(journal.title?.title).toBe("T");
    expect(journal.has("z")).toBe(true);
    expect(journal.entry("b")).toMatchObject({
      cost: 0.25,
      finishReason: { reason: "tool_calls", raw: "toolUse" },
      usage: { inputTokens: 5, outputTokens: 3, totalTokens: 11, cacheReadTokens: 2, cacheWriteTokens: 1 },
    });
    const origin = { provider: "p", model: "m" };
    expect(journal.context.messages).toEqual([
      Message.user([{ kind: "image", image: { data: pixels, mediaType: "image/png" } }]),
      Message.assistant([
        { kind: "thinking", thinking: { text: "hm", signature: "sig", redacted: false, origin } },
        { kind: "tool_call", toolCall: { id: "c1", name: "read", arguments: { path: "x" }, type: "function" } },
      ]),
      Message.toolResult({ toolCallId: "c1", content: "body" }),
      Message.user("next"),
    ]);
  });

  it("G-27 unreadable lines are skipped and reported, a file without a header is refused", () => {
    const openStore = () => new MemoryStore();
    const lines = versionOne.split("\n");
    const damaged = [lines[0], lines[1], "{not json", lines[2], lines[3]!.slice(0, 10)].join("\n");
    const journal = importJournal(new MemoryStore(damaged), { id: "n", openStore }, testDeps());
    expect(journal.losses.map((loss) => [loss.kind, loss.line])).toEqual([
      ["corrupt_line", 3],
      ["torn_tail", 5],
    ]);
    expect(journal.context.messages).toHaveLength(2);
    expect(() => importJournal(new MemoryStore("{}\n"), { id: "n", openStore }, testDeps())).toThrow(
      "not a session file",
    );
    expect(() => Journal.open(new MemoryStore(versionOne), testDeps())).toThrow("session format 1, not 4; import it");
  });
});
