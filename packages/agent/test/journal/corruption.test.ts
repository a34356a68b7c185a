import { isDeepStrictEqual } from "node:util";
import { type ContentPart, Message } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { JournalError } from "../../src/record/journal/errors.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { encodeLine } from "../../src/record/journal/line.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { seeded, testDeps } from "./support.ts";

const isLong = Boolean(process.env["LATHE_LONG"]);
const flips = isLong ? 20_000 : 100;

/** A session with parallel calls, a branch, labels, a title, open and settled intents. */
async function sample(): Promise<Buffer> {
  const store = new MemoryStore();
  const journal = Journal.create({ id: "sample", cwd: "/w" }, () => store, testDeps());
  journal.append({ type: "model_change", model: "p/m" });
  const call = (id: string): ContentPart => ({
    kind: "tool_call",
    toolCall: { id, name: "read", arguments: { path: "a" }, type: "function" },
  });
  for (let round = 0; round < 4; round++) {
    const prompt = journal.append({ type: "message", message: Message.user(`prompt ${round} "quoted" é`) });
    journal.write({ type: "input", state: "start", entryId: prompt.id });
    const request = await journal.intent({ effect: "request", replay: "safe" });
    const ids = [`c${round}a`, `c${round}b`];
    journal.append({
      id: request.for,
      type: "message",
      message: Message.assistant(ids.map(call)),
      provider: "p",
      model: "m",
    });
    for (const callId of ids.reverse()) {
      const intent = await journal.intent({ effect: "tool", callId, tool: "read", replay: "never" });
      const message = Message.toolResult({ toolCallId: callId, content: `text of ${callId}` });
      journal.append({ id: intent.for, type: "message", message });
    }
    journal.append({ type: "message", message: Message.assistant(`done ${round}`), provider: "p", model: "m" });
    if (round === 1) journal.setLabel(prompt.id, "checkpoint");
    if (round === 2) journal.setLeaf(prompt.id);
    if (round === 2) journal.setTitle("A title", "auto");
  }
  await journal.intent({ effect: "tool", callId: "open", tool: "bash", replay: "never" });
  return Buffer.from(store.read(0, store.size));
}

interface Opened {
  readonly entries: ReadonlyMap<string, object>;
  readonly facts: object;
  readonly losses: number;
}

function open(bytes: Buffer): Opened | JournalError {
  try {
    const journal = Journal.open(new MemoryStore(bytes), testDeps());
    const entries = new Map([...journal.entryIds()].map((id) => [id, journal.entry(id)]));
    const facts = {
      header: journal.header,
      leaf: journal.leaf,
      title: journal.title,
      labels: [...journal.labels],
      unsettled: journal.openIntents(),
      messages: journal.context.messages,
    };
    return { entries, facts, losses: journal.losses.length };
  } catch (error) {
    if (error instanceof JournalError && error.code === "corrupt") return error;
    throw error;
  }
}

/** Undefined if the opened journal is the truth, or a part of it with the loss stated. */
function fault(opened: Opened, truth: Opened): string | undefined {
  let at = 0;
  const order = [...truth.entries.keys()];
  for (const [id, entry] of opened.entries) {
    at = order.indexOf(id, at);
    if (at === -1) return `entry ${id} is not in the true history, or not in this order`;
    const expected = truth.entries.get(id);
    const bridged = { ...entry, parentId: null };
    if (!isDeepStrictEqual(entry, expected) && opened.losses === 0) return `entry ${id} changed without a word`;
    if (!isDeepStrictEqual(bridged, { ...expected, parentId: null })) return `the content of entry ${id} is wrong`;
  }
  const same = opened.entries.size === truth.entries.size && isDeepStrictEqual(opened.facts, truth.facts);
  return same || opened.losses > 0 ? undefined : "something is missing without a word";
}

describe("a damaged journal", () => {
  it(`G-27 cut at every ${isLong ? "" : "seventeenth "}byte and beside every line break: opens with the torn tail said, or refuses when not even the header is there`, async () => {
    const bytes = await sample();
    const ends = new Set([0]);
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, end + 1)) ends.add(end).add(end + 1);
    const headerEnd = bytes.indexOf(10);
    const truths = new Map<number, Opened>();
    for (let cut = 0; cut <= bytes.length; cut++) {
      if (!isLong && cut % 17 !== 0 && !bytes.subarray(Math.max(0, cut - 2), cut + 2).includes(10)) continue;
      const opened = open(bytes.subarray(0, cut));
      if (opened instanceof JournalError) {
        expect(cut).toBeLessThan(headerEnd);
        continue;
      }
      const lastLine = bytes.lastIndexOf(10, cut - 1) + 1;
      const end = ends.has(cut) ? cut : lastLine;
      const truth = truths.get(end) ?? (open(bytes.subarray(0, end)) as Opened);
      truths.set(end, truth);
      expect(opened.losses, `cut at ${cut}`).toBe(ends.has(cut) ? 0 : 1);
      expect(isDeepStrictEqual(opened.facts, truth.facts), `cut at ${cut}`).toBe(true);
    }
  });

  it(`G-27 a byte flipped at ${flips} places never gives a silently wrong history`, async () => {
    const bytes = await sample();
    const truth = open(bytes) as Opened;
    expect(truth.losses).toBe(0);
    const random = seeded(2026);
    const tally = { refused: 0, stated: 0 };
    for (let flip = 0; flip < flips; flip++) {
      const at = Math.floor(random() * bytes.length);
      const damaged = Buffer.from(bytes);
      damaged[at] = damaged[at]! ^ (1 + Math.floor(random() * 255));
      const opened = open(damaged);
      if (opened instanceof JournalError) {
        expect(at).toBeLessThan(bytes.indexOf(10));
        expect(opened.message).toMatch(/header.*is damaged.*Nothing was changed/);
        tally.refused++;
        continue;
      }
      expect(fault(opened, truth), `flip at ${at}`).toBe(undefined);
      expect(opened.losses).toBeGreaterThan(0);
      expect(opened.entries.size).toBeGreaterThanOrEqual(truth.entries.size - 1);
      tally.stated++;
    }
    expect(tally.stated).toBeGreaterThan(tally.refused);
    expect(tally.refused).toBeGreaterThan(0);
  });

  it("a damaged entry costs that entry only: what follows keeps the history before it", () => {
    const store = new MemoryStore();
    const journal = Journal.create({ id: "s", cwd: "/" }, () => store, testDeps());
    const [, lost] = ["one", "two", "three"].map((text) =>
      journal.append({ type: "message", message: Message.user(text) }),
    );
    const bytes = Buffer.from(store.read(0, store.size));
    bytes[bytes.indexOf("two")] = 0x54;
    const opened = Journal.open(new MemoryStore(bytes), testDeps());
    expect(opened.context.messages).toEqual([Message.user("one"), Message.user("three")]);
    expect(opened.losses.map(({ kind, line }) => ({ kind, line }))).toEqual([
      { kind: "corrupt_line", line: 3 },
      { kind: "orphan_entry", line: 4 },
    ]);
    expect(opened.losses[0]?.message).toMatch(/^Line 3 is damaged \(\d+ bytes\); it is skipped\.$/);
    expect(opened.has(lost!.id)).toBe(false);
  });

  it("a damaged line break between two entries loses neither, and says that it was damaged", () => {
    const store = new MemoryStore();
    const journal = Journal.create({ id: "s", cwd: "/" }, () => store, testDeps());
    for (const text of ["one", "two"]) journal.append({ type: "message", message: Message.user(text) });
    const bytes = Buffer.from(store.read(0, store.size));
    bytes[bytes.indexOf(10, bytes.indexOf("one"))] = 0x58;
    const opened = Journal.open(new MemoryStore(bytes), testDeps());
    expect(opened.context.messages).toHaveLength(2);
    expect(opened.losses.map((loss) => loss.kind)).toEqual(["corrupt_line"]);
  });

  it("a line that broke off and the one that was written right behind it: only the first is lost", () => {
    const line = (id: string) =>
      encodeLine({ type: "message", id, parentId: null, timestamp: "", message: Message.user(id) });
    const header = encodeLine({ type: "session", version: 4, id: "s", timestamp: "", cwd: "/" });
    const torn = line("lost").subarray(0, 40);
    const journal = Journal.open(new MemoryStore(Buffer.concat([header, torn, line("kept")])), testDeps());
    expect(journal.context.messages).toEqual([Message.user("kept")]);
    expect(journal.losses.map(({ kind, bytes }) => ({ kind, bytes }))).toEqual([{ kind: "corrupt_line", bytes: 40 }]);
  });

  it("bytes between the header and its line break are said to be lost", () => {
    const header = encodeLine({ type: "session", version: 4, id: "s", timestamp: "", cwd: "/" });
    const bytes = Buffer.concat([header.subarray(0, -1), Buffer.from("zeros\n")]);
    const journal = Journal.open(new MemoryStore(bytes), testDeps());
    expect(journal.header.id).toBe("s");
    expect(journal.losses.map(({ kind, bytes }) => ({ kind, bytes }))).toEqual([{ kind: "corrupt_line", bytes: 5 }]);
  });

  it("a torn tail is reported once: the next writer seals it, appends behind it, and changes no byte before", () => {
    const store = new MemoryStore();
    const journal = Journal.create({ id: "s", cwd: "/" }, () => store, testDeps());
    for (const text of ["one", "two"]) journal.append({ type: "message", message: Message.user(text) });
    const cut = Buffer.from(store.read(0, store.size - 20));

    const second = new MemoryStore(cut);
    const reopened = Journal.open(second, testDeps());
    expect(reopened.losses.map((loss) => loss.kind)).toEqual(["torn_tail"]);
    reopened.append({ type: "message", message: Message.user("three") });
    expect(second.read(0, cut.length)).toEqual(cut);

    const third = Journal.open(new MemoryStore(second.read(0, second.size)), testDeps());
    expect(third.losses).toEqual([]);
    expect(third.context.messages).toEqual([Message.user("one"), Message.user("three")]);
  });

  it("a file that lacks only its last line break is whole, and stays so when it grows", () => {
    const store = new MemoryStore();
    const journal = Journal.create({ id: "s", cwd: "/" }, () => store, testDeps());
    journal.append({ type: "message", message: Message.user("one") });
    const bytes = Buffer.from(store.read(0, store.size));
    for (const [end, before] of [
      [bytes.indexOf(10), []],
      [bytes.length - 1, [Message.user("one")]],
    ] as const) {
      const second = new MemoryStore(Buffer.from(bytes.subarray(0, end)));
      Journal.open(second, testDeps()).append({ type: "message", message: Message.user("two") });
      const third = Journal.open(new MemoryStore(second.read(0, second.size)), testDeps());
      expect([third.context.messages, third.losses]).toEqual([[...before, Message.user("two")], []]);
    }
  });

  it("a torn tail behind a damaged line break is reported once, too", () => {
    const store = new MemoryStore();
    const journal = Journal.create({ id: "s", cwd: "/" }, () => store, testDeps());
    for (const text of ["one", "two"]) journal.append({ type: "message", message: Message.user(text) });
    const cut = Buffer.from(store.read(0, store.size - 20));
    cut[cut.indexOf(10, cut.indexOf("one"))] = 0x58;
    const second = new MemoryStore(cut);
    const reopened = Journal.open(second, testDeps());
    expect(reopened.losses.map((loss) => loss.kind)).toEqual(["torn_tail"]);
    reopened.append({ type: "message", message: Message.user("three") });
    const third = Journal.open(new MemoryStore(second.read(0, second.size)), testDeps());
    expect(third.losses).toEqual([]);
    expect(third.context.messages).toEqual([Message.user("one"), Message.user("three")]);
  });

  it("a sealed torn tail is not counted among more damaged lines than are listed", () => {
    const header = encodeLine({ type: "session", version: 4, id: "s", timestamp: "", cwd: "/" });
    const store = new MemoryStore(`${header}${"\n".repeat(150)}{"type":"mess`);
    const last = () => Journal.open(new MemoryStore(store.read(0, store.size)), testDeps()).losses.at(-1)?.message;
    expect(last()).toBe("51 more lines are damaged or unusable.");
    Journal.open(store, testDeps()).append({ type: "message", message: Message.user("one") });
    expect(last()).toBe("50 more lines are damaged or unusable.");
  });

  it("a seal further down does not hide a damaged line that it is not about", () => {
    const header = encodeLine({ type: "session", version: 4, id: "s", timestamp: "", cwd: "/" });
    const message = encodeLine({
      type: "message",
      id: "a",
      parentId: null,
      timestamp: "",
      message: Message.user("one"),
    });
    const damaged = Buffer.from("damaged\n");
    const seal = encodeLine({ type: "seal", torn: damaged.length - 1, timestamp: "" });
    const journal = Journal.open(new MemoryStore(Buffer.concat([header, damaged, message, seal])), testDeps());
    expect(journal.losses.map(({ kind, line }) => ({ kind, line }))).toEqual([{ kind: "corrupt_line", line: 2 }]);
  });
});
