// Files made to break their reader, with correct checksums. Each must open and say in plain words what is wrong, or be
// refused in one line; it must never throw anything else, hang, or take more memory than its size.

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Message } from "@lathe/llm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileBlobs } from "../../src/base/blobs/file-blobs.ts";
import type { OutsideLine } from "../../src/contract/journal.ts";
import { FileArtifacts } from "../../src/record/artifacts/file-artifacts.ts";
import { JournalError } from "../../src/record/journal/errors.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { forkJournal } from "../../src/record/journal/fork.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { encodeLine } from "../../src/record/journal/line.ts";
import { readHead } from "../../src/record/journal/listing.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { Session } from "../../src/session/session.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { ScriptedClient } from "../support/scripted-client.ts";
import { echo, testDeps as sessionDeps, testProfile, watch } from "../support/session.ts";
import { type Change, changes, hostileJournal, sealed, soundLines } from "./hostile-lines.ts";
import { tempFolder, testDeps, testOwner } from "./support.ts";

const runs = process.env["LATHE_LONG"] ? 10_000 : 25;
const KINDS: OutsideLine["type"][] = [
  "intent",
  "settle",
  "decision",
  "leaf",
  "title",
  "snapshot",
  "prefix",
  "input",
  "host",
  "seal",
];

/** Reads everything in every possible way. */
function readAll(journal: Journal): void {
  for (const id of journal.entryIds()) {
    const entry = journal.entry(id);
    expect(entry.id).toBe(id);
    journal.children(id);
  }
  for (const kind of KINDS) for (const line of journal.outside(kind)) expect(line.type).toBe(kind);
  for (const message of journal.context.messages)
    for (const part of message.content) expect(part.kind).toBeTypeOf("string");
  for (const { message } of journal.losses) expect(message).toMatch(/^[ -~]+$/);
  expect(journal.title?.title ?? "").toBeTypeOf("string");
}

function opened(bytes: Buffer): Journal | JournalError {
  try {
    return Journal.open(new MemoryStore(bytes), testDeps());
  } catch (error) {
    if (error instanceof JournalError) return error;
    throw error;
  }
}

it("the sound journal has nothing wrong with it", () => {
  const journal = Journal.open(new MemoryStore(Buffer.concat(soundLines().map(encodeLine))), testDeps());
  readAll(journal);
  expect(journal.losses).toEqual([]);
  expect(journal.openIntents().map(({ id }) => id)).toEqual(["i0000004", "i0000005"]);
});

describe("a journal with made-up lines", () => {
  it("opens, or is refused in one line; forks, and goes on in a session", async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const bytes = hostileJournal(list);
        const journal = opened(bytes);
        if (journal instanceof JournalError) {
          expect(journal.message).toMatch(/^[ -~]+\.$/);
          return;
        }
        readAll(journal);
        const fork = forkJournal(
          journal,
          { upTo: journal.leaf, header: { id: "f", cwd: "/" }, store: new MemoryStore() },
          testDeps(),
        );
        readAll(fork);
        await goOn(bytes);
      }),
      { numRuns: runs },
    );
  }, 600_000);

  async function goOn(bytes: Buffer): Promise<void> {
    const client = new ScriptedClient(() => ({ text: "fine" }));
    const session = new Session({
      profile: testProfile([echo]),
      env: new MemoryEnvironment(),
      client,
      deps: sessionDeps(),
      journal: Journal.open(new MemoryStore(bytes), testDeps()),
      config: { retry: { maxRetries: 0 } },
    });
    const s = watch(session, client);
    await session.continue();
    expect(s.of("error").map(({ data }) => data.message)).toEqual([]);
    await session.submit("more");
    expect(s.of("error").map(({ data }) => data.message)).toEqual([]);
    expect(session.lastText()).toBe("fine");
    expect(session.history.length).toBeGreaterThan(0);
    await s.finish();
  }

  it("an entry that cannot be used is said and left out; what hangs on it stays", () => {
    const lines = soundLines();
    const at = lines.findIndex((line) => JSON.stringify(line).includes("findable words"));
    lines[at] = { ...lines[at]!, message: { role: "user", content: "not a list" } };
    const journal = opened(Buffer.concat(lines.map(encodeLine))) as Journal;
    expect(journal.losses.map(({ message }) => message)).toEqual([
      `Entry ${lines[at]?.["id"]} cannot be used (message.content must be a list, not a string of 10 characters); it is skipped.`,
    ]);
    expect(journal.entry(lines[at]?.["id"] as string)).toMatchObject({ message: { role: "user", content: [] } });
    expect(journal.context.messages.some((message) => message.content.length === 0)).toBe(false);
    expect(JSON.stringify(journal.context.messages)).toContain("again");
  });

  it("a fact that cannot be used costs the fact, not the answer", () => {
    const lines = soundLines();
    const at = lines.findIndex((line) => line["cost"] !== undefined && line["type"] === "message");
    lines[at] = { ...lines[at]!, cost: null };
    const journal = opened(Buffer.concat(lines.map(encodeLine))) as Journal;
    const entry = journal.entry("o0000001");
    expect(entry).toMatchObject({ usage: { inputTokens: 10 }, message: { role: "assistant" } });
    expect("cost" in entry).toBe(false);
    expect(journal.losses.map(({ message }) => message)).toEqual([
      "Entry o0000001: its cost cannot be used and is skipped.",
    ]);
  });

  it("an entry that is there twice cannot make a history without an end", () => {
    const header = soundLines()[0]!;
    const message = (id: string, parentId: string | null, words: string) =>
      encodeLine({ type: "message", id, parentId, timestamp: "", message: Message.user(words) });
    const lines = [encodeLine(header), message("a", null, "1"), message("b", "a", "2"), message("a", "b", "3")];
    const journal = opened(Buffer.concat(lines)) as Journal;
    expect(journal.context.messages).toHaveLength(2);
    expect(journal.losses.map((loss) => loss.message)).toEqual(["Line 4 repeats the entry a; it is skipped."]);
  });

  it("a header that says nothing usable is refused with the reason", () => {
    const [header] = soundLines();
    for (const wrong of [{ cwd: 5 }, { title: {} }, { timestamp: null }, { runId: [] }]) {
      expect(() => Journal.open(new MemoryStore(encodeLine({ ...header, ...wrong })), testDeps())).toThrow(
        /is not a session that can be used: its header\.\w+ must be a string, not [\w ]+\. Restore it/,
      );
    }
  });

  it("100,000 damaged lines are counted, not listed", () => {
    const header = encodeLine(soundLines()[0]!);
    const journal = opened(Buffer.concat([header, Buffer.from("\n".repeat(100_000))])) as Journal;
    expect(journal.losses).toHaveLength(101);
    expect(journal.losses.at(-1)?.message).toBe("99900 more lines are damaged or unusable.");
  });

  it("a line made to look like ten thousand lines costs no more than its length", () => {
    const header = encodeLine(soundLines()[0]!);
    const fake = `{"type":"x"${',"~":"00000000"}{"type":"x"'.repeat(20_000)}\n`;
    const after = encodeLine({
      type: "message",
      id: "a",
      parentId: null,
      timestamp: "",
      message: Message.user("here"),
    });
    const journal = opened(Buffer.concat([header, Buffer.from(fake), after])) as Journal;
    expect(journal.context.messages).toHaveLength(1);
  });

  const calls = process.env["LATHE_LONG"] ? 100_000 : 12_000;
  it(`${calls} calls of one answer and their results are put in order in one pass`, () => {
    const header = soundLines()[0]!;
    const parts = Array.from({ length: calls }, (_, n) => ({
      kind: "tool_call",
      toolCall: { id: n % 2 === 0 ? "same" : `c${n}`, name: "echo", arguments: {}, type: "function" },
    }));
    const lines = [
      header,
      { type: "message", id: "a", parentId: null, timestamp: "", message: { role: "assistant", content: parts } },
    ];
    for (let n = 0; n < calls; n++) {
      const toolCallId = n % 2 === 0 ? "same" : `c${n}`;
      const message = Message.toolResult({ toolCallId, content: `r${n}` });
      lines.push({
        type: "message",
        id: `r${n}`,
        parentId: n === 0 ? "a" : `r${n - 1}`,
        timestamp: "",
        message,
      } as never);
    }
    const journal = opened(Buffer.concat(lines.map(encodeLine))) as Journal;
    expect(journal.context.messages).toHaveLength(calls + 1);
    expect(journal.context.entryIds.every((id) => id !== undefined)).toBe(true);
  });

  it("the list of a folder reads heads of any shape", () => {
    const path = join(tempFolder(), "s.jsonl");
    fc.assert(
      fc.property(changes, (list: Change[]) => {
        writeFileSync(path, hostileJournal(list));
        const head = readHead(path);
        for (const value of [head?.title, head?.firstText, head?.header.id, head?.header.cwd]) {
          if (value !== undefined) expect(value).toBeTypeOf("string");
        }
      }),
      { numRuns: runs },
    );
  }, 600_000);
});

describe("a line that is too long", () => {
  it("is passed over without being held, and the rest is read", () => {
    const path = join(tempFolder(), "s.jsonl");
    const header = encodeLine(soundLines()[0]!);
    const long = Buffer.alloc((64 << 20) + 100_000, "x");
    const after = encodeLine({
      type: "message",
      id: "a",
      parentId: null,
      timestamp: "",
      message: Message.user("here"),
    });
    writeFileSync(path, Buffer.concat([header, long, Buffer.from("\n"), after]));
    const journal = Journal.open(new FileStore(path), testDeps());
    expect(journal.context.messages).toHaveLength(1);
    expect(journal.losses.map(({ message }) => message)).toEqual([
      `Line 2 is too long to be an entry (${long.length} bytes); it is skipped.`,
    ]);
    writeFileSync(path, long);
    expect(() => Journal.open(new FileStore(path), testDeps())).toThrow(/header\) is damaged/);
  });

  it("is refused when it is written", () => {
    const journal = Journal.create({ id: "s", cwd: "/" }, () => new MemoryStore(), testDeps());
    const data = Array.from({ length: 1100 }, () => "x".repeat(64_000));
    expect(() => journal.append({ type: "custom", customType: "x", data })).toThrow(/more than can be read back/);
  });
});

describe("what lies under the name of a journal and is none", () => {
  it("a pipe, a device, a folder, a loop of links and a link to nowhere are refused by name, at once", () => {
    const folder = tempFolder();
    const at = (name: string) => join(folder, name);
    execFileSync("mkfifo", [at("pipe")]);
    mkdirSync(at("folder"));
    symlinkSync(at("loop"), at("loop"));
    symlinkSync(at("nothing"), at("nowhere"));
    symlinkSync("/dev/zero", at("device"));
    for (const name of ["pipe", "folder", "loop", "nowhere", "device"]) {
      const real = name === "device" ? "/dev/zero" : at(name);
      for (const options of [{}, { owner: testOwner() }, { owner: testOwner(), create: true }]) {
        expect(() => new FileStore(at(name), options), name).toThrow(JournalError);
        expect(() => new FileStore(at(name), options), name).toThrow(real);
      }
    }
    expect(() => new FileStore(at("loop"))).toThrow(/cannot be opened: ELOOP/);
    expect(() => readHead(at("pipe"))).toThrow(/not a regular file/);
  });

  it("a blob or an artifact that is a pipe, or is named by a path, is missing", async () => {
    const folder = tempFolder();
    const blobs = new FileBlobs(folder, "t");
    const hash = "a".repeat(64);
    execFileSync("mkfifo", [join(folder, hash), join(folder, "0.bash.log")]);
    writeFileSync(join(folder, "secret"), "x");
    expect([hash, "../secret", "secret", "", "__proto__"].map((name) => blobs.get(name))).toEqual(
      Array(5).fill(undefined),
    );
    expect([hash, "secret"].map((name) => blobs.size(name))).toEqual([undefined, undefined]);
    expect(await new FileArtifacts(folder).read(0)).toBeUndefined();
  });
});

it("a lone seal or text with a right checksum is said and left out", () => {
  const lines = [
    encodeLine(soundLines()[0]!),
    sealed("{}"),
    sealed('{"type":5}'),
    sealed("[1,2]"),
    sealed('{"type":"message"}'),
  ];
  const journal = opened(Buffer.concat(lines)) as Journal;
  expect(journal.losses.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
});

it("a line that names its kind twice is said and left out", () => {
  const twice = sealed('{"type":"title","title":"x","source":"user","timestamp":"","type":"host"}');
  const journal = opened(Buffer.concat([encodeLine(soundLines()[0]!), twice])) as Journal;
  expect(journal.losses.map(({ message }) => message)).toEqual([
    "Line 2 (title) cannot be used (it names its kind twice); it is skipped.",
  ]);
});

it("a compaction that cannot be used hides nothing", () => {
  const lines = [
    soundLines()[0]!,
    { type: "message", id: "a", parentId: null, timestamp: "", message: Message.user("one") },
    { type: "compaction", id: "b", parentId: "a", timestamp: "", summary: 5, firstKeptEntryId: "b", tokensBefore: 1 },
    { type: "message", id: "c", parentId: "b", timestamp: "", message: Message.user("two") },
  ];
  const journal = opened(Buffer.concat(lines.map(encodeLine))) as Journal;
  expect(journal.context.messages).toEqual([Message.user("one"), Message.user("two")]);
  expect(journal.losses).toHaveLength(1);
});
