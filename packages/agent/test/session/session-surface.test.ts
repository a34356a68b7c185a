// What a host program reads from a session and does to it between inputs: history, queue, outcomes, work without an input, the end.

import { Message, textOf } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import type { MessageEntry } from "../../src/contract/journal.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import type { JournalDeps } from "../../src/record/journal/new-lines.ts";
import { type JournalStore, MemoryStore } from "../../src/record/journal/store.ts";
import type { ToolResultItem } from "../../src/session/types.ts";
import { Jobs } from "../../src/tools/run/jobs.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
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

describe("work between inputs", () => {
  const title = { messages: [Message.user("A title, please.")] };

  it("interrupt ends a model call of the host, and the session is free when it returns", async () => {
    const asked = gate();
    const s: Setup = setUp({
      script: [
        {
          before: () => {
            asked.open();
            return new Promise(() => {});
          },
        },
        { text: "ok" },
      ],
    });
    const call = s.session.callModel("title", title);
    await asked.opened;
    await expect(s.session.submit("go")).rejects.toThrow("session is busy");
    await s.session.interrupt();
    expect(s.session.state).toBe("idle");
    expect(await call).toBeUndefined();
    expect(await s.session.submit("go")).toMatchObject({ text: "ok" });
    await s.finish();
  });

  it("is refused while an input runs, which goes on as if nobody had asked", async () => {
    const refused: unknown[] = [];
    const note = (error: unknown): void => void refused.push(error);
    const s: Setup = setUp({
      script: [
        {
          text: "done",
          before: async () => {
            await s.session.callModel("title", title).catch(note);
            await s.session.compact({ reason: "test", summary: "x", firstKeptEntryId: "" }).catch(note);
            for (const move of [() => s.session.moveTo(null), () => s.session.restoreHistory()]) {
              try {
                move();
              } catch (error) {
                note(error);
              }
            }
          },
        },
      ],
    });
    expect(await s.session.submit("go")).toMatchObject({ reason: "completed", text: "done" });
    await s.finish();
    expect(refused.map(String)).toEqual(Array(4).fill("Error: session is busy"));
    expect(s.client.requests).toHaveLength(1);
  });

  it("a question to the user stays open while the host asks a model for something else", async () => {
    const s = setUp({ script: [{ text: "Which one?" }, { text: "A title" }], isQuestion: () => true });
    await s.session.submit("go");
    expect(await s.session.callModel("title", title)).toMatchObject({ text: "A title" });
    expect(s.session.state).toBe("awaiting_input");
    await s.finish();
  });

  it("EH-03 work that ends only after the session has given up on it reports an interruption, no failure of the session", async () => {
    const [begun, late] = [gate(), gate()];
    const deps = testDeps();
    const s: Setup = setUp({
      script: [{ text: "one" }],
      // The session gives up at once instead of after its limit.
      deps: { ...deps, setTimer: (callback, ms) => deps.setTimer(callback, ms === 4500 ? 0 : ms) },
    });
    await s.session.submit("go");
    const moved = s.session.navigate(null, {
      summarize: async () => {
        begun.open();
        await late.opened;
        return { summary: "too late" };
      },
    });
    await begun.opened;
    await s.finish();
    late.open();
    expect(await moved).toMatchObject({ cancelled: "it was interrupted" });
    expect(s.session.state).toBe("closed");
  });

  it("another model brings its own tools, from the next request on", async () => {
    const s = setUp({ script: [{ text: "a" }, { calls: [{ name: "other", id: "o" }] }, { text: "b" }] });
    await s.session.submit("one");
    s.session.setProfile(testProfile([tool("other", () => "it ran")], { model: "scripted-2" }));
    await s.session.submit("two");
    await s.finish();
    expect(s.client.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ["echo"],
      ["other"],
      ["other"],
    ]);
    expect(s.of("tool_call_end").map(({ data }) => data.output)).toEqual(["it ran"]);
  });

  it("restoreHistory sends everything again that a compaction hid, and says when nothing is hidden", async () => {
    const s = setUp({ script: [{ text: "a" }, { text: "b" }, { text: "c" }] });
    await s.session.submit("one");
    expect(s.session.restoreHistory()).toBe(false);
    const firstKeptEntryId = s.session.journal.leaf!;
    await s.session.compact({ summary: "it was short", firstKeptEntryId, tokensBefore: 1, reason: "test" });
    await s.session.submit("two");
    expect(s.session.restoreHistory()).toBe(true);
    expect(s.session.restoreHistory()).toBe(false);
    await s.session.submit("three");
    await s.finish();
    const sent = s.client.requests.map(({ messages }) => messages.slice(1).map(textOf));
    expect(sent[1]).toEqual([expect.stringContaining("it was short"), "a", "two"]);
    expect(sent[2]).toEqual(["one", "a", "two", "b", "three"]);
  });

  it("an answer for another agent does not settle a question of this one, though their calls share an id", async () => {
    const answers: boolean[] = [];
    const s: Setup = setUp({
      script: [{ calls: [{ name: "echo", id: "c" }] }, { text: "done" }],
      middleware: [{ name: "asks", approve: () => ({ decision: "ask" }) }],
      onEvent: (event) => {
        if (event.kind !== "approval_request") return;
        answers.push(s.session.answerApproval("c", { decision: "allow", by: "test" }, "another"));
        answers.push(s.session.answerApproval("c", { decision: "deny", by: "test" }));
      },
    });
    await s.session.submit("go");
    await s.finish();
    expect(answers).toEqual([false, true]);
    expect(s.of("tool_call_end")[0]?.data.is_error).toBe(true);
  });
});

it("closing a session cleans up its own environment, and leaves a shared one to whoever else works there", async () => {
  class CountingEnvironment extends MemoryEnvironment {
    cleanups = 0;
    override async cleanup(): Promise<void> {
      this.cleanups++;
    }
  }
  const cleanups: number[] = [];
  for (const sharedEnv of [false, true]) {
    const env = new CountingEnvironment();
    await setUp({ script: [], env, sharedEnv }).finish();
    cleanups.push(env.cleanups);
  }
  expect(cleanups).toEqual([1, 0]);
});

it("closing a session in a shared environment ends its own background commands, and never those that the host keeps", async () => {
  const running = async (services: { readonly jobs: Jobs } | undefined): Promise<boolean | undefined> => {
    const env = new LocalEnvironment({ cwd: tempFolder(), baseEnv: { PATH: process.env["PATH"] } });
    const s = setUp({ script: [], env, sharedEnv: true, ...(services ? { services } : {}) });
    const jobs = services?.jobs ?? s.session.beside.jobs;
    const handle = jobs?.start("sleep 1000", (command) => env.startCommand(command)).handle;
    await s.finish();
    const isRunning = handle?.running;
    await env.cleanup();
    return isRunning;
  };
  expect([await running(undefined), await running({ jobs: new Jobs() })]).toEqual([false, true]);
});

it("what fails while a session closes is said, and the session closes all the same", async () => {
  const s = setUp({
    script: [],
    beforeClose: async () => {
      throw new Error("the host is gone");
    },
  });
  await s.finish();
  expect(s.of("warning").map(({ data }) => data)).toEqual([{ message: "Error: the host is gone", code: "shutdown" }]);
  expect(s.session.state).toBe("closed");
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
