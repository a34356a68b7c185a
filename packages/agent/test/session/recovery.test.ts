import { type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { encodeLine } from "../../src/record/journal/line.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { Session } from "../../src/session/session.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { grammarError } from "../support/event-grammar.ts";
import { journalError } from "../support/history-grammar.ts";
import { ScriptedClient } from "../support/scripted-client.ts";
import { echo, setUp, testDeps, testProfile, tool, watch } from "../support/session.ts";
import { clientFor, DIALECTS, type Dialect, profileFor, wire } from "../support/wire.ts";

const blobs = new MemoryBlobs();
const newJournalDeps = () => {
  const deps = testDeps();
  let n = 0;
  // Ids of a reopened journal must not repeat those of the first process.
  return {
    deps,
    journal: {
      blobs,
      now: deps.now,
      newId: () => `${idSource(deps.random)().slice(0, 6)}${(n++ % 100).toString().padStart(2, "0")}`,
    },
  };
};

function freshJournal(store: MemoryStore): { journal: Journal; deps: ReturnType<typeof testDeps> } {
  const { deps, journal } = newJournalDeps();
  return { deps, journal: Journal.create({ id: deps.uuid(), cwd: "/work" }, () => store, journal) };
}
const textOfStore = (store: MemoryStore) => store.read(0, store.size).toString("utf8");

const act = tool("act", (args) => `act ${JSON.stringify(args)}`, { replay: "never" });

describe.each(DIALECTS)("a %s history cut after every line", (dialect: Dialect) => {
  let server: ModelServer;
  let lines: string[];

  beforeAll(async () => {
    const store = new MemoryStore();
    const call = (n: number) => ({ name: n % 2 === 0 ? "echo" : "act", args: { n }, id: `c${n}` });
    const w = await wire(
      dialect,
      [
        turn.calls([call(1), call(2), call(3)]),
        turn.calls([call(4)]),
        turn.text("one"),
        turn.calls([call(5)]),
        turn.text("two"),
      ],
      { ...freshJournal(store), profile: profileFor(dialect, [echo, act]) },
    );
    w.session.steer("psst");
    await w.session.submit("first");
    await w.session.submit("second");
    await w.finish();
    lines = textOfStore(store).split("\n").filter(Boolean);
    server = await startModelServer({ script: () => turn.text("fine") });
  });
  afterAll(() => server.close());

  it.each(["submit", "continue"] as const)("SN-05 then %s: the strict server takes every request", async (how) => {
    const problems: string[] = [];
    for (let cut = 1; cut <= lines.length; cut++) {
      const { deps, journal: journalDeps } = newJournalDeps();
      const store = new MemoryStore(`${lines.slice(0, cut).join("\n")}\n`);
      const journal = Journal.open(store, {
        ...journalDeps,
        newId: () => `n${cut}${Math.random().toString(36).slice(2, 8)}`,
      });
      const session = new Session({
        profile: profileFor(dialect, [echo, act]),
        env: new MemoryEnvironment(),
        client: clientFor(dialect, server),
        deps,
        journal,
        config: { prefixBug: "throw", retry: { maxRetries: 0 } },
      });
      const events: Parameters<typeof grammarError>[0][number][] = [];
      const done = (async () => {
        for await (const event of session.events()) events.push(event);
      })();
      await (how === "submit" ? session.submit("again") : session.continue());
      const found = [
        journalError(journal),
        ...events.flatMap((event) => (event.kind === "error" ? [event.data.message] : [])),
      ];
      await session.close();
      await done;
      found.push(grammarError(events, { ended: true }));
      for (const problem of found) if (problem !== undefined) problems.push(`line ${cut}: ${problem}`);
    }
    expect(problems).toEqual([]);
    expect(server.requests.flatMap((request) => request.refused ?? [])).toEqual([]);
  });
});

describe("a reopened session", () => {
  /** Runs until `stopAt` lines are written, then leaves the journal as a killed process would. */
  async function cutRun(
    script: ConstructorParameters<typeof ScriptedClient>[0],
    stopAt: (text: string) => boolean,
    prepare: (session: Session) => void = () => {},
  ) {
    const store = new MemoryStore();
    const whole = setUp({ ...freshJournal(store), script, profile: testProfile([echo, act]) });
    prepare(whole.session);
    await whole.session.submit("go");
    await whole.finish();
    const lines = textOfStore(store).split("\n").filter(Boolean);
    const at = lines.findIndex(stopAt);
    return new MemoryStore(`${lines.slice(0, at + 1).join("\n")}\n`);
  }

  function reopen(store: MemoryStore, script: ConstructorParameters<typeof ScriptedClient>[0], tools = [echo, act]) {
    const { deps, journal } = newJournalDeps();
    const client = new ScriptedClient(script);
    const session = new Session({
      profile: testProfile(tools),
      env: new MemoryEnvironment(),
      client,
      deps,
      journal: Journal.open(store, { ...journal, newId: () => `r${Math.random().toString(36).slice(2, 9)}` }),
      config: { prefixBug: "throw" },
    });
    return watch(session, client);
  }

  const two = [
    {
      calls: [
        { name: "echo", id: "e" },
        { name: "act", id: "a" },
      ],
    },
    { text: "done" },
  ];

  it("runs a safe call again, answers a never call with effects unknown, and says so", async () => {
    const runs: string[] = [];
    const counting = [echo, act].map((each) => ({
      ...each,
      execute: (args: never, context: never) => {
        runs.push(each.name);
        return each.execute(args, context);
      },
    }));
    const isSecondIntent = (line: string) => line.includes('"effect":"tool"') && line.includes('"callId":"a"');
    const s = reopen(await cutRun(two, isSecondIntent), [two[1]!], counting);
    expect(s.session.hasUnfinishedInput).toBe(true);
    await s.session.continue();
    await s.finish();
    expect(runs).toEqual(["echo"]);
    const results = s.client.requests[0]!.messages.filter((message) => message.role === "tool");
    expect(JSON.stringify(results[0])).toContain("echo {}");
    expect(JSON.stringify(results[1])).toContain("effects unknown");
    expect(s.of("user_input").map((event) => event.data.origin)).toEqual(["continue"]);
    expect(s.of("processing_end")[0]?.data).toMatchObject({ reason: "completed", rounds: 1 });
  });

  it("keeps queued messages, turns, usage and limits", async () => {
    const store = await cutRun(
      two,
      (line) => line.includes('"effect":"request"'),
      (session) => {
        const gone = session.steer("forget this");
        session.steer("first");
        session.editQueued(session.followUp("typed too fast"), "later");
        session.cancelQueued(gone);
      },
    );
    const copy = new MemoryStore(textOfStore(store));
    const s = reopen(store, [two[0]!, { text: "done" }, { text: "later done" }]);
    expect(s.session.queuedMessages("follow_up").map((message) => message.content)).toEqual(["later"]);
    await s.session.continue();
    await s.finish();
    expect(s.of("user_input").map((event) => event.data.content)).toEqual(["go", "later"]);
    expect(s.session.usage).toMatchObject({ turns: 3, usage: { totalTokens: 360 } });
    expect(JSON.stringify(s.client.requests[0]!.messages)).toContain("first");
    expect(JSON.stringify(s.client.requests)).not.toContain("forget this");

    const again = reopen(copy, []);
    again.session.abandonUnfinishedInput();
    expect(again.session.usage.turns).toBe(0);
    await again.finish();
  });

  it("a message that was queued before the first request is part of that request", async () => {
    const store = await cutRun(
      two,
      (line) => line.includes('"type":"message"'),
      (session) => void session.steer("in a hurry"),
    );
    const s = reopen(store, [{ text: "done" }]);
    expect(s.session.queuedMessages("steering")).toHaveLength(1);
    await s.session.continue();
    await s.finish();
    expect(s.client.requests.map(({ messages }) => JSON.stringify(messages).includes("in a hurry"))).toEqual([true]);
  });

  it("notices a loop that began before the process ended", async () => {
    const script = Array.from({ length: 12 }, (_, n) => ({
      calls: [{ name: "echo", id: `e${n}`, args: { same: 1 } }],
    }));
    const store = await cutRun([...script.slice(0, 8), { text: "done" }], (line) => line.includes('"callId":"e7"'));
    const s = reopen(store, [...script.slice(8, 11), { text: "done" }]);
    await s.session.continue();
    await s.finish();
    expect(s.of("loop_detection")).toHaveLength(1);
  });

  it("says that its last answer was cut off, also if the process ended right after it", async () => {
    const said = [{ text: "so far", finish: "length" as const }];
    const s = reopen(await cutRun(said, (line) => line.includes('"role":"assistant"')), []);
    await s.session.continue();
    await s.finish();
    expect(s.of("assistant_text_end").map(({ data }) => data.text)).toEqual(["so far"]);
    expect(s.of("warning").map(({ data }) => data.code)).toEqual(["length"]);
  });

  it("counts rounds of answers that also said something", async () => {
    const said = [{ text: "Let me see.", calls: [{ name: "echo", id: "e" }] }, { text: "done" }];
    const s = reopen(await cutRun(said, (line) => line.includes('"effect":"tool"')), [said[1]!]);
    await s.session.continue();
    await s.finish();
    expect(s.of("processing_end")[0]?.data).toMatchObject({ reason: "completed", rounds: 1 });
  });

  it("counts once what was spent on a branch that was left before the process ended", async () => {
    const store = new MemoryStore();
    const s = setUp({ ...freshJournal(store), script: [{ text: "one" }, { text: "two" }] });
    await s.session.submit("first");
    const first = s.session.journal.leaf;
    await s.session.submit("second");
    s.session.moveTo(first);
    const { usage } = s.session;
    await s.finish();
    const again = reopen(store, []);
    expect(again.session.usage).toEqual(usage);
    await again.finish();
  });

  it("an unfinished input that was left for another branch is not continued, now or later", async () => {
    const store = await cutRun(two, (line) => line.includes('"effect":"tool"'));
    const s = reopen(store, []);
    expect(s.session.hasUnfinishedInput).toBe(true);
    s.session.moveTo(null);
    expect(s.session.hasUnfinishedInput).toBe(false);
    await s.finish();
    const again = reopen(new MemoryStore(textOfStore(store)), []);
    expect(again.session.hasUnfinishedInput).toBe(false);
    expect(journalError(again.session.journal)).toBeUndefined();
    await again.finish();
  });

  it("tells the answer that was journalled before the process ended, without another request", async () => {
    const s = reopen(await cutRun(two, (line) => line.includes('"text":"done"')), []);
    expect(s.session.hasUnfinishedInput).toBe(true);
    await s.session.continue();
    await s.finish();
    expect(s.client.requests).toHaveLength(0);
    expect(s.of("assistant_text_end").map((event) => event.data)).toMatchObject([
      { text: "done", finish: "stop", entry_id: s.session.journal.leaf },
    ]);
    expect(s.of("processing_end")[0]?.data.reason).toBe("completed");
  });

  it("tells the thoughts of that answer as well, and is done: the next message is an input of its own", async () => {
    const script = [{ reasoning: "It is late.", text: "done" }, { text: "more" }];
    const s = reopen(await cutRun(script, (line) => line.includes('"text":"done"')), [{ text: "fine" }]);
    await s.session.continue();
    expect(s.session.hasUnfinishedInput).toBe(false);
    await s.session.submit("next");
    await s.finish();
    expect(s.of("assistant_text_end")[0]?.data).toMatchObject({ text: "done", reasoning: "It is late." });
    const inputs = [...s.session.journal.outside("input")];
    expect(inputs.flatMap((line) => (line.state === "end" ? [line.reason] : []))).toEqual(["completed", "completed"]);
    const [first, second] = inputs.flatMap((line) => (line.state === "start" ? [line.entryId] : []));
    expect(inputs.map(({ entryId }) => entryId)).toEqual([first, first, second, second]);
  });

  it("a part of an answer that somebody stopped is no answer: its input was interrupted", async () => {
    const store = await cutRun(two, (line) => line.includes('"text":"done"'));
    const lines = textOfStore(store).trimEnd().split("\n");
    const { "~": _, ...entry } = JSON.parse(lines.pop() ?? "");
    const part = encodeLine({ ...entry, finishReason: { reason: "other", raw: "interrupted" } });
    const s = reopen(new MemoryStore(`${lines.join("\n")}\n${part}`), []);
    expect(s.session.hasUnfinishedInput).toBe(false);
    expect(s.session.journal.input).toMatchObject({ state: "end", reason: "interrupted" });
    await s.finish();
  });

  it("a call that waits for a person's word still waits when its process has ended", async () => {
    const asking = tool("ask", (_args, context) => {
      context.services.session?.awaitInput({ what: "question", text: "which?" });
      return "asked";
    });
    const asks = { text: "I have to ask.", calls: [{ name: "ask", id: "q" }] };
    const script = [{ text: "hello" }, asks, { text: "not without an answer" }];
    const store = new MemoryStore();
    const whole = setUp({ ...freshJournal(store), script, profile: testProfile([asking]) });
    await whole.session.submit("hi");
    await whole.session.submit("go");
    expect(whole.session.state).toBe("awaiting_input");
    await whole.finish();
    const lines = textOfStore(store).split("\n");
    const result = lines.findIndex((line) => line.includes('"role":"tool"'));
    const s = reopen(new MemoryStore(`${lines.slice(0, result + 1).join("\n")}\n`), [], [asking]);
    expect(await s.session.continue()).toMatchObject({ text: "I have to ask.", awaiting: { text: "which?" } });
    expect(s.session.state).toBe("awaiting_input");
    expect(s.client.requests).toHaveLength(0);
    await s.finish();
  });

  it("Session.resume({continue: true}) goes on by itself", async () => {
    const store = await cutRun(two, (line) => line.includes('"effect":"tool"'));
    const { deps, journal } = newJournalDeps();
    const client = new ScriptedClient([two[1]!]);
    const session = Session.resume({
      profile: testProfile([echo, act]),
      env: new MemoryEnvironment(),
      client,
      deps,
      journal: Journal.open(store, { ...journal, newId: () => `r${Math.random().toString(36).slice(2, 9)}` }),
      continue: true,
    });
    const s = watch(session, client);
    for await (const event of session.events()) if (event.kind === "processing_end") break;
    await s.finish();
    expect(session.lastText()).toBe("done");
    expect(s.of("session_start")[0]?.data.resumed).toBe(true);
  });
});
