import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Message } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { pathTo } from "../../src/record/journal/context.ts";
import { JournalError } from "../../src/record/journal/errors.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { forkJournal } from "../../src/record/journal/fork.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { tempFolder, testDeps, testOwner } from "./support.ts";

const user = (text: string) => ({ type: "message", message: Message.user(text) }) as const;
const file = (path: string) => new FileStore(path, { owner: testOwner(), create: true });

describe("moving in the tree", () => {
  it("G-31 going back keeps every branch, puts the summary at the new place and only grows the file", () => {
    const store = new MemoryStore();
    const journal = Journal.create({ id: "s", cwd: "/" }, () => store, testDeps());
    const [one, , three] = ["one", "two", "three"].map((text) => journal.append(user(text)));
    const before = Buffer.from(store.read(0, store.size));
    expect(journal.context.messages).toHaveLength(3);
    const summary = journal.branchWithSummary(one!.id, "two and three were tried");
    expect(journal.context.messages).toHaveLength(2);
    journal.append(user("four"));
    expect(store.read(0, before.length)).toEqual(before);
    expect(summary).toMatchObject({ parentId: one!.id, fromId: one!.id });
    expect(journal.context.messages).toEqual([
      Message.user("one"),
      Message.user("<branch_summary>\ntwo and three were tried\n</branch_summary>"),
      Message.user("four"),
    ]);
    expect(journal.children(one!.id)).toEqual([journal.entry(three!.id).parentId, summary.id]);
    journal.setLeaf(three!.id);
    expect(journal.context.messages).toHaveLength(3);
  });

  it("G-31 the start is a place too, an unknown entry is refused, and staying writes nothing", () => {
    const store = new MemoryStore();
    const journal = Journal.create({ id: "s", cwd: "/" }, () => store, testDeps());
    const one = journal.append(user("one"));
    const size = store.size;
    journal.setLeaf(one.id);
    expect(store.size).toBe(size);
    expect(() => journal.setLeaf("nowhere")).toThrow("There is no entry nowhere in this session to go to.");
    expect(journal.branchWithSummary(null, "s")).toMatchObject({ parentId: null, fromId: "root" });
    expect(journal.children(null)).toEqual([one.id, journal.leaf]);
  });

  it("the leaf, labels and the title survive reopening, also when the leaf was moved last", () => {
    const store = new MemoryStore();
    const journal = Journal.create({ id: "s", cwd: "/", title: "first" }, () => store, testDeps());
    const one = journal.append(user("one"));
    expect(journal.title).toEqual({ title: "first", source: "auto" });
    journal.setTitle("second", "user");
    journal.setLabel(one.id, "here");
    journal.setLabel(journal.leaf!, "gone");
    journal.setLabel([...journal.labels.keys()][1]!);
    journal.setLeaf(one.id);
    const opened = Journal.open(new MemoryStore(store.read(0, store.size)), testDeps());
    expect(opened.leaf).toBe(one.id);
    expect([...opened.labels]).toEqual([[one.id, "here"]]);
    expect(opened.title).toEqual({ title: "second", source: "user" });
    journal.setLeaf(null);
    expect(Journal.open(new MemoryStore(store.read(0, store.size)), testDeps()).leaf).toBeNull();
  });
});

describe("intents", () => {
  it("an intent is open until its outcome is appended or it is settled, also after reopening", async () => {
    const store = new MemoryStore();
    const journal = Journal.create({ id: "s", cwd: "/" }, () => store, testDeps());
    const request = await journal.intent({ effect: "request", replay: "safe" });
    const failed = await journal.intent({ effect: "request", replay: "safe" });
    const tool = await journal.intent({ effect: "tool", callId: "c", tool: "bash", replay: "never" });
    journal.append({ ...user("outcome"), id: request.for });
    journal.settle(failed.id, "failed", { error: "overloaded" });
    const nested = await journal.intent({ effect: "tool", within: "c", summary: "reads a", replay: "safe" });
    expect(journal.openIntents()).toEqual([tool, nested]);
    expect(nested).toMatchObject({ within: "c", summary: "reads a" });
    expect(tool).toMatchObject({ effect: "tool", callId: "c", tool: "bash", replay: "never" });
    expect(() => journal.append({ ...user("twice"), id: request.for })).toThrow("already in this session");
    const opened = Journal.open(new MemoryStore(store.read(0, store.size)), testDeps());
    expect(opened.openIntents()).toEqual([tool, nested]);
    expect([...opened.outside("settle")]).toMatchObject([{ intentId: failed.id, error: "overloaded" }]);
  });

  it("with sync `intent` an effect that must not run twice starts only after an fsync", async () => {
    const order: string[] = [];
    class WatchedStore extends MemoryStore {
      override async sync(): Promise<void> {
        order.push("fsync");
      }
    }
    const deps = testDeps({ sync: "intent" });
    const journal = Journal.create({ id: "s", cwd: "/" }, () => new WatchedStore(), deps);
    await journal.intent({ effect: "tool", replay: "safe" });
    order.push("safe");
    await journal.intent({ effect: "tool", replay: "never" });
    order.push("never");
    expect(order).toEqual(["safe", "fsync", "never"]);
  });

  it.each([
    ["none", 0],
    ["turn", 1],
    ["intent", 1],
  ] as const)("with sync `%s` the end of an input waits for %i fsync", async (sync, count) => {
    let synced = 0;
    class WatchedStore extends MemoryStore {
      override async sync(): Promise<void> {
        synced++;
      }
    }
    const journal = Journal.create({ id: "s", cwd: "/" }, () => new WatchedStore(), testDeps({ sync }));
    journal.append(user("one"));
    await journal.inputEnd();
    expect(synced).toBe(count);
  });

  it("the end of a turn waits for the disk of the turn before, not for its own; closing waits for both", async () => {
    const order: string[] = [];
    const disk: (() => void)[] = [];
    class SlowStore extends MemoryStore {
      override async sync(): Promise<void> {
        order.push("sync begins");
        await new Promise<void>((resolve) => disk.push(resolve));
        order.push("synced");
      }
      override async close(): Promise<void> {
        order.push("closed");
        await super.close();
      }
    }
    const journal = Journal.create({ id: "s", cwd: "/" }, () => new SlowStore(), testDeps());
    journal.append(user("one"));
    await journal.turnEnd();
    order.push("first turn");
    const second = journal.turnEnd().then(() => order.push("second turn"));
    disk.shift()!();
    await second;
    const closed = journal.close();
    disk.shift()!();
    await closed;
    expect(order.join(", ")).toBe("sync begins, first turn, synced, sync begins, second turn, synced, closed");
  });

  it("a sync that fails beside the next request is reported by the end of that turn", async () => {
    class BrokenStore extends MemoryStore {
      override async sync(): Promise<void> {
        throw new JournalError("io", "the disk is gone");
      }
    }
    const journal = Journal.create({ id: "s", cwd: "/" }, () => new BrokenStore(), testDeps());
    journal.append(user("one"));
    await journal.turnEnd();
    await expect(journal.turnEnd()).rejects.toThrow("the disk is gone");
    await expect(journal.inputEnd()).rejects.toThrow("the disk is gone");
    await journal.close();
  });

  it("an id source that repeats itself gives no duplicate ids", () => {
    const candidates = ["aaaaaaaa", "aaaaaaaa", "bbbbbbbb"];
    const deps = testDeps({ newId: () => candidates.shift()! });
    const journal = Journal.create({ id: "s", cwd: "/" }, () => new MemoryStore(), deps);
    expect([journal.append(user("one")).id, journal.append(user("two")).id]).toEqual(["aaaaaaaa", "bbbbbbbb"]);
  });

  it("an id source that gives the same id for ever is an error and not an endless loop", () => {
    const deps = testDeps({ newId: () => "aaaaaaaa" });
    const journal = Journal.create({ id: "s", cwd: "/" }, () => new MemoryStore(), deps);
    journal.append(user("one"));
    expect(() => journal.append(user("two"))).toThrow("The id source repeats itself");
    expect(journal.context.messages).toEqual([Message.user("one")]);
  });

  it("the id of an open intent and the one promised to its outcome are given to nothing else, also after reopening", async () => {
    const store = new MemoryStore();
    const first = Journal.create({ id: "s", cwd: "/" }, () => store, testDeps());
    const intent = await first.intent({ effect: "request", replay: "safe" });
    const candidates = [intent.id, intent.for, "cccccccc"];
    const deps = testDeps({ newId: () => candidates.shift()! });
    const opened = Journal.open(new MemoryStore(store.read(0, store.size)), deps);
    expect(opened.append(user("steering")).id).toBe("cccccccc");
    expect(opened.openIntents()).toEqual([intent]);
  });
});

it("an entry that is not there is an error that names it, and no path leads to it or from it", () => {
  const journal = Journal.create({ id: "s", cwd: "/" }, () => new MemoryStore(), testDeps());
  expect(() => journal.entry("nowhere")).toThrow("There is no entry nowhere in this session.");
  expect(pathTo(journal, "nowhere")).toEqual([]);
  expect(journal.children("nowhere")).toEqual([]);
});

describe("a fork", () => {
  it("G-32 holds the path up to the chosen entry and its labels once; the old file is unchanged", async () => {
    const folder = tempFolder();
    const oldPath = join(folder, "old.jsonl");
    const deps = testDeps();
    const journal = Journal.create({ id: "old", cwd: "/" }, () => file(oldPath), deps);
    const one = journal.append(user("one"));
    journal.setLabel(one.id, "draft");
    journal.setLabel(one.id, "checkpoint");
    const two = journal.append(user("two"));
    const three = journal.append(user("three"));
    journal.setLabel(three.id, "left behind");
    const hash = () => createHash("sha256").update(readFileSync(oldPath)).digest("hex");
    const before = hash();

    const store = file(join(folder, "new.jsonl"));
    const fork = forkJournal(journal, { upTo: two.id, header: { id: "new", cwd: "/" }, store }, deps);
    expect(hash()).toBe(before);
    expect(fork.header).toMatchObject({ id: "new", parentSession: oldPath });
    const kinds = [...fork.entryIds()].map((id) => fork.entry(id).type);
    expect(kinds).toEqual(["message", "message", "label"]);
    expect([...fork.labels]).toEqual([[one.id, "checkpoint"]]);
    expect(fork.context.messages).toEqual([Message.user("one"), Message.user("two")]);
    await fork.close();
    const opened = Journal.open(new FileStore(join(folder, "new.jsonl")), deps);
    expect(opened.losses).toEqual([]);
    expect(opened.context.messages).toHaveLength(2);
  });

  it("G-32 before the first prompt is an empty session that points to the old one", () => {
    const journal = Journal.create({ id: "old", cwd: "/" }, () => new MemoryStore("", "there"), testDeps());
    journal.append(user("one"));
    const store = new MemoryStore();
    const fork = forkJournal(journal, { upTo: null, header: { id: "new", cwd: "/" }, store }, testDeps());
    expect(fork.header.parentSession).toBe("there");
    expect(fork.context.messages).toEqual([]);
    expect(store.read(0, store.size).toString().trimEnd().split("\n")).toHaveLength(1);
  });

  it("takes the prefix along and its entries keep their blobs", () => {
    const deps = testDeps();
    const journal = Journal.create({ id: "old", cwd: "/" }, () => new MemoryStore(), deps);
    journal.write({ type: "prefix", systemPrompt: "h1", tools: "h2", environment: "h3", reason: "first" });
    const long = "x".repeat(70_000);
    const one = journal.append(user(long));
    const fork = forkJournal(journal, { upTo: one.id, header: { id: "n", cwd: "/" }, store: new MemoryStore() }, deps);
    expect(fork.prefix).toMatchObject({ systemPrompt: "h1", reason: "first" });
    expect(fork.context.messages).toEqual([Message.user(long)]);
  });
});
