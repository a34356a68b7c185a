// What a host program reads from a session and does to it between inputs: history, queue, outcomes, work without an
// input, the end.

import { Message } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import type { MessageEntry } from "../../src/contract/journal.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import type { JournalDeps } from "../../src/record/journal/new-lines.ts";
import { type JournalStore, MemoryStore } from "../../src/record/journal/store.ts";
import type { ToolResultItem } from "../../src/session/types.ts";
import { tempFolder, testOwner } from "../journal/support.ts";
import { echo, type Setup, setUp, testDeps, testProfile, tool } from "../support/session.ts";

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function journalDeps(): JournalDeps & { readonly deps: ReturnType<typeof testDeps> } {
  const deps = testDeps();
  return { deps, blobs: new MemoryBlobs(), now: deps.now, newId: idSource(deps.random) };
}

function journalOver(store: JournalStore): { journal: Journal; deps: ReturnType<typeof testDeps> } {
  const { deps, ...journal } = journalDeps();
  return { deps, journal: Journal.create({ id: "s", cwd: "/work" }, () => store, journal) };
}

describe("SN-04 the history", () => {
  /** The first call ends after the second. */
  function outOfOrder(): ReturnType<typeof tool>[] {
    let second = gate();
    return [
      tool("slow", async () => {
        await second.opened;
        second = gate();
        return "slow";
      }),
      tool("fast", () => {
        second.open();
        return "fast";
      }),
    ];
  }
  const calls = (round: number) => ({
    calls: ["slow", "fast"].map((name) => ({ name, id: `${name}${round}` })),
  });
  const resultIds = ({ session }: Setup): string[][] =>
    session.history.flatMap((turn) => (turn.kind === "tool_results" ? [turn.results.map((r) => r.toolCallId)] : []));

  it("SN-04 has the results of each round in the order of its calls, also while the next answer is awaited", async () => {
    let seen: string[][] = [];
    const s: Setup = setUp({
      profile: testProfile(outOfOrder()),
      script: [
        calls(1),
        calls(2),
        {
          text: "done",
          before: () => {
            seen = resultIds(s);
          },
        },
      ],
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.of("tool_call_end").map(({ data }) => data.call_id)).toEqual(["fast1", "slow1", "fast2", "slow2"]);
    const inOrder = [
      ["slow1", "fast1"],
      ["slow2", "fast2"],
    ];
    expect(seen).toEqual(inOrder);
    expect(resultIds(s)).toEqual(inOrder);
  });

  it("SN-04 has the thoughts and the vendor's id of an answer, and which results are errors", async () => {
    const fails = tool("fails", () => {
      throw new Error("no");
    });
    const s = setUp({
      profile: testProfile([echo, fails]),
      script: [{ reasoning: "Let me see.", calls: [{ name: "echo" }, { name: "fails" }] }, { text: "done" }],
    });
    await s.session.submit("go");
    await s.finish();
    const answers = s.session.history.filter((turn) => turn.kind === "assistant");
    expect(answers.map(({ reasoning, responseId }) => [reasoning, responseId])).toEqual([
      ["Let me see.", "r0"],
      [undefined, "r1"],
    ]);
    const results = s.session.history.flatMap((turn): readonly ToolResultItem[] =>
      turn.kind === "tool_results" ? turn.results : [],
    );
    expect(results.map(({ isError }) => isError)).toEqual([false, true]);
  });

  it("SN-04 has the details that a tool returned, and none for a tool that returned none", async () => {
    const counts = tool("counts", () => ({ content: [{ kind: "text", text: "3" }], details: { lines: 3 } }));
    const s = setUp({
      profile: testProfile([echo, counts]),
      script: [{ calls: [{ name: "counts" }, { name: "echo" }] }, { text: "done" }],
    });
    await s.session.submit("go");
    await s.finish();
    const results = s.session.history.flatMap((turn): readonly ToolResultItem[] =>
      turn.kind === "tool_results" ? turn.results : [],
    );
    expect(results.map((result) => ("details" in result ? result.details : "none"))).toEqual([{ lines: 3 }, "none"]);
  });

  it("SN-04 keeps the picture of an input beside its text", async () => {
    const s = setUp({ script: [{ text: "a cat" }] });
    const image = { data: new Uint8Array([1, 2, 3]), mediaType: "image/png" };
    const content = [
      { kind: "text" as const, text: "what is this?" },
      { kind: "image" as const, image },
    ];
    await s.session.submit(content);
    expect(s.session.history[0]).toMatchObject({ kind: "user", content });
    await s.finish();
  });
});

describe("queued messages", () => {
  it("the one that is cancelled is the one that is reported, whatever else waits", async () => {
    const s = setUp({ script: [{ text: "ok" }] });
    s.session.steer("stays");
    const id = s.session.followUp("goes");
    expect(s.session.cancelQueued(id)).toBe(true);
    expect([s.session.queuedMessages("steering").length, s.session.queuedMessages("follow_up").length]).toEqual([1, 0]);
    await s.session.submit("go");
    await s.finish();
    expect(s.of("queue_changed").at(-1)?.data).toMatchObject({ queue: "follow_up", id, change: "cancelled" });
  });

  it("say who they are from, in the queue, in the journal and when they are delivered; the user's say nothing", async () => {
    const job = { kind: "job", id: "j1" } as const;
    const agent = { kind: "agent", id: "a1" } as const;
    const s = setUp({ script: [{ text: "one" }, { text: "two" }] });
    const ids = [
      s.session.steer("a job ended", job),
      s.session.steer("mine"),
      s.session.followUp("an agent ended", agent),
    ];
    expect(s.session.queuedMessages("steering").map(({ source }) => source)).toEqual([job, undefined]);
    expect(s.session.queuedMessages("follow_up").map(({ source }) => source)).toEqual([agent]);
    await s.session.submit("go");
    await s.finish();
    const added = s.of("queue_changed").flatMap(({ data }) => (data.change === "added" ? [data.source] : []));
    expect(added).toEqual([job, undefined, agent]);
    expect(s.of("steering_injected").map(({ data }) => data.source)).toEqual([job, undefined]);
    expect(ids.map((id) => (s.session.journal.entry(id) as MessageEntry).source)).toEqual([job, undefined, agent]);
  });

  it("RN-04 late steering becomes one input at a time, also where follow-ups are joined", async () => {
    const s: Setup = setUp({
      script: [
        {
          text: "a",
          before: () => {
            s.session.steer("first");
            s.session.steer("second");
          },
        },
        { text: "b" },
      ],
      config: { lateSteering: "run", followUpMode: "all" },
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.of("user_input").map(({ data }) => data.content)).toEqual(["go", "first"]);
    expect(s.of("steering_injected").map(({ data }) => data.content)).toEqual(["second"]);
  });

  it.each(["", " \n"])("an empty message (%j) is refused before it can reach the history", async (blank) => {
    const s = setUp({ script: [] });
    await expect(s.session.submit(blank)).rejects.toThrow("the input is empty");
    expect(() => s.session.steer(blank)).toThrow("the input is empty");
    expect(() => s.session.followUp([{ kind: "text", text: blank }])).toThrow("the input is empty");
    expect([s.session.history, s.session.state]).toEqual([[], "idle"]);
    await s.finish();
  });
});

describe("the end of an input", () => {
  it("submit counts what the follow-ups behind it used", async () => {
    const s = setUp({ script: [{ text: "one" }, { text: "two" }], priceOf: () => 0.5 });
    s.session.followUp("more");
    expect(await s.session.submit("go")).toMatchObject({ text: "two", cost: 1, usage: { totalTokens: 240 } });
    await s.finish();
  });

  it("SN-03 processing_end says what the session waits for, and nothing when it waits for nothing", async () => {
    const s = setUp({
      script: [{ text: "Which one?" }, { text: "Fine." }],
      isQuestion: ({ content }) => content.endsWith("?"),
    });
    await s.session.submit("go");
    await s.session.submit("the first");
    await s.finish();
    expect(s.of("processing_end").map(({ data }) => data.awaiting)).toEqual([
      { what: "question", text: "Which one?" },
      undefined,
    ]);
  });

  it("everything the input did is safe on the disk before its end is announced", async () => {
    class CountingStore extends MemoryStore {
      synced = 0;
      override sync(): Promise<void> {
        this.synced = this.size;
        return super.sync();
      }
    }
    const store = new CountingStore();
    const unsafe: number[] = [];
    const s = setUp({
      ...journalOver(store),
      script: [{ calls: [{ name: "echo" }] }, { text: "done" }],
      onEvent: ({ kind }) => {
        if (kind === "processing_end") unsafe.push(store.size - store.synced);
      },
    });
    await s.session.submit("go");
    await s.finish();
    expect(unsafe).toEqual([0]);
  });
});

describe("a journal and its sessions", () => {
  it("a closed session lets go of its file: the next one can open it", async () => {
    const path = `${tempFolder()}/s.jsonl`;
    const s = setUp({
      ...journalOver(new FileStore(path, { create: true, owner: testOwner() })),
      script: [{ text: "one" }],
    });
    await s.session.submit("go");
    expect(() => new FileStore(path, { owner: testOwner() })).toThrow("is open in process");
    await s.finish();
    const { deps, ...more } = journalDeps();
    const journal = Journal.open(new FileStore(path, { owner: testOwner() }), more);
    const again = setUp({ deps, journal, script: [] });
    expect(again.session.lastText()).toBe("one");
    await again.finish();
  });

  it("one that holds only what a host wrote before the first input is resumed, not begun", async () => {
    const store = new MemoryStore();
    const first = setUp({ ...journalOver(store), script: [] });
    first.session.appendCustomMessage("notes", "Remember the milk.");
    await first.finish();
    const { deps, ...more } = journalDeps();
    const journal = Journal.open(new MemoryStore(store.read(0, store.size)), {
      ...more,
      newId: idSource(() => 0.5 + deps.random() / 2),
    });
    const s = setUp({ deps, journal, script: [] });
    await s.finish();
    expect(s.of("session_start")[0]?.data.resumed).toBe(true);
  });

  it("the time that a session has taken counts for its budget when it is opened again", async () => {
    const store = new MemoryStore();
    const first = setUp({ ...journalOver(store), script: [{ text: "one" }] });
    await first.session.submit("go");
    await first.finish();
    const { wallMs } = first.session.spent;
    expect(wallMs).toBeGreaterThan(0);
    const { deps, ...more } = journalDeps();
    const s = setUp({ deps, journal: Journal.open(new MemoryStore(store.read(0, store.size)), more), script: [] });
    expect(s.session.spent.wallMs).toBe(wallMs);
    await s.finish();
  });

  it("an unfinished input whose answer has no finish reason, as other programs write it, is finished", async () => {
    const { deps, journal } = journalOver(new MemoryStore());
    const id = journal.newId();
    journal.write({ type: "input", state: "start", entryId: id });
    journal.append({ type: "message", id, message: Message.user("go"), origin: "input" });
    journal.append({ type: "message", message: Message.assistant("the answer") });
    const s = setUp({ deps, journal, script: [] });
    expect(await s.session.continue()).toMatchObject({ reason: "completed", text: "the answer" });
    await s.finish();
  });
});
