import { describe, expect, it } from "vitest";
import { newChild } from "../../src/agents/subagents/child.ts";
import { Directory } from "../../src/agents/subagents/directory.ts";
import type { EventKind, SessionEvent } from "../../src/contract/events/types.ts";
import type { AgentOverview } from "../../src/contract/subagents.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import {
  agentProfile,
  answersIn,
  batch,
  builder,
  cast,
  childJournals,
  explore,
  type firstText,
  yields,
} from "../support/agents.ts";
import { type SetupOptions, setUp, testDeps } from "../support/session.ts";

const types = async () => [{ ...explore, spawns: "*" as const }, builder];
const never = (): Promise<void> => new Promise(() => {});
const start = (parts: Parameters<typeof cast>[0], options: Partial<SetupOptions> = {}) =>
  setUp({
    profile: agentProfile(),
    subagents: { types },
    ...options,
    script: cast(parts),
    config: { maxSubagentDepth: 2, jobReports: "run", ...options.config },
  });
type Started = ReturnType<typeof start>;
const directoryOf = (s: Started) => s.session.subagents.directory;
const settled = async (isSo: () => boolean): Promise<void> => {
  for (let i = 0; i < 5_000 && !isSo(); i++) await new Promise((resolve) => setImmediate(resolve));
  expect(isSo()).toBe(true);
};
const statesOf = (s: Started, id: string) =>
  s
    .of("agent_lifecycle")
    .map(({ data }) => data.agent)
    .filter(({ agentId }) => agentId === id)
    .map(({ state, status }) => `${state} ${status}`);

describe("the directory of agents", () => {
  it("SA-08 IU-02 lists agents of agents below the one that started them, and reads what each did", async () => {
    const nested = {
      name: "task",
      args: { agent: "task", assignment: "dig", id: "Deep", description: "Digs" },
      id: "n",
    };
    const s = start({
      "go on": [batch([{ id: "A", assignment: "look" }]), { text: "started" }, { text: "read" }],
      dig: [{ text: "I dig. " }, ...Array(3).fill(yields("dug"))],
      look: [{ calls: [nested as never] }, yields("looked")],
    });
    await s.session.submit("go on");
    await settled(() => directoryOf(s).list()[0]?.state === "idle");
    expect(directoryOf(s).list()).toMatchObject([
      {
        agentId: "A",
        agent: "explore",
        assignment: "look",
        state: "idle",
        status: "completed",
        requests: 2,
        unread: 0,
      },
      { agentId: "A.Deep", parentId: "A", agent: "task", description: "Digs", status: "completed", requests: 2 },
    ]);
    expect(directoryOf(s).list()[0]!.tokens).toBeGreaterThan(directoryOf(s).list()[1]!.tokens);
    const { bytes } = await s.session.schemes.read("history://A.Deep", new AbortController().signal);
    expect(new TextDecoder().decode(bytes)).toContain("I dig.");
    expect(statesOf(s, "A.Deep")).toEqual(["running running", "idle completed"]);
    await expect(directoryOf(s).send("B", "hello")).rejects.toThrow("There is no agent B; known: A, A.Deep.");
    await expect(directoryOf(s).send("A", " ")).rejects.toThrow("The message to A is empty.");
    await s.finish();
  });

  it("SA-08 one that is stopped says so to whoever started it, and a message sets it to work again", async () => {
    const s = start({
      "go on": [
        batch([{ id: "A", assignment: "hang" }]),
        { text: "started" },
        { text: "read" },
        { text: "read again" },
      ],
      hang: (request) =>
        answersIn(request) === 0 && !toldTo(request) ? { text: "half", midway: never } : yields("done"),
    });
    const toldTo = (request: Parameters<typeof firstText>[0]) => JSON.stringify(request.messages).includes("carry on");
    await s.session.submit("go on");
    await settled(() => (directoryOf(s).list()[0]?.tail.length ?? 0) > 0);
    expect(directoryOf(s).list()).toMatchObject([{ state: "running", doing: "Answering", tail: ["ha"] }]);
    expect(await directoryOf(s).stop("A")).toMatchObject({ state: "idle", status: "failed", doing: "" });
    await expect(directoryOf(s).stop("A")).rejects.toThrow("The agent A is not at work: it is idle.");
    expect(directoryOf(s).outputOf("A")).toContain("the user stopped it");
    await settled(() => s.client.requests.some((request) => JSON.stringify(request).includes("the user stopped it")));
    expect(await directoryOf(s).send("A", "carry on")).toMatchObject({ how: "continued" });
    await settled(() => directoryOf(s).list()[0]?.status === "completed");
    expect(directoryOf(s).outputOf("A")).toBe("done");
    await s.finish();
  });

  it("SA-08 all that are at work, agents of agents too, are stopped at once", async () => {
    const nested = { name: "task", args: { agent: "task", assignment: "dig", id: "Deep" }, id: "n" };
    const tasks = [
      { id: "A", assignment: "nests" },
      { id: "B", assignment: "hang" },
      { id: "C", assignment: "quick" },
    ];
    const s = start({
      "go on": [batch(tasks), { text: "started" }, ...Array(3).fill({ text: "read" })],
      nests: [{ calls: [nested as never] }],
      dig: [{ text: "half", midway: never }],
      hang: [{ text: "half", midway: never }],
      quick: [yields("done")],
    });
    await s.session.submit("go on");
    await settled(() => directoryOf(s).list().length === 4 && directoryOf(s).running === 3);
    const stopped = await directoryOf(s).stopAll();
    expect(stopped.map(({ agentId, status }) => `${agentId} ${status}`).sort()).toEqual([
      "A failed",
      "A.Deep failed",
      "B failed",
    ]);
    expect([directoryOf(s).running, directoryOf(s).outputOf("B").split("\n")[0]]).toEqual([0, "the user stopped it"]);
    expect(await directoryOf(s).stopAll()).toEqual([]);
    await s.finish();
  });

  it("SA-04 SA-08 a parked one is revived without work, parks again, and a message wakes it", async () => {
    const journals = childJournals();
    const s = start(
      {
        "go on": [
          batch([{ id: "A", assignment: "look" }]),
          { text: "started" },
          { text: "read" },
          { text: "read again" },
        ],
        look: [yields("first"), yields("second")],
      },
      { subagents: { types, journal: journals.journal, limits: () => ({ idleMs: 5 }) } },
    );
    await s.session.submit("go on");
    await settled(() => directoryOf(s).list()[0]?.state === "parked");
    const before = s.client.requests.length;
    expect(await directoryOf(s).revive("A")).toMatchObject({ state: "idle", requests: 1 });
    await settled(() => directoryOf(s).list()[0]?.state === "parked");
    expect(s.client.requests.length - before).toBeLessThanOrEqual(1); // the parent reads the first result
    expect(await directoryOf(s).send("A", "more")).toMatchObject({ how: "revived" });
    await settled(() => directoryOf(s).outputOf("A") === "second");
    expect(directoryOf(s).list()[0]).toMatchObject({ requests: 2, startedAt: expect.any(Number) });
    await s.finish();
    expect(statesOf(s, "A").slice(0, 5)).toEqual([
      "running running",
      "idle completed",
      "parked completed",
      "idle completed",
      "parked completed",
    ]);
  });
});

describe("a session that is opened again", () => {
  it("SA-08 knows the agents of its agents, and says whom to wake for one that cannot be reached", async () => {
    const journals = childJournals();
    const store = new MemoryStore();
    const subagents = { types, journal: journals.journal };
    const nested = { name: "task", args: { agent: "task", assignment: "dig", id: "Deep" }, id: "n" };
    const parts = {
      "go on": [batch([{ id: "A", assignment: "look" }]), { text: "started" }, { text: "read" }],
      dig: [yields("dug")],
      look: [{ calls: [nested as never] }, yields("looked")],
    };
    const header = { id: "s", cwd: "/" };
    const first = start(parts, { subagents, journal: Journal.create(header, () => store, journals.journalDeps) });
    await first.session.submit("go on");
    await settled(() => directoryOf(first).list()[0]?.state === "idle");
    await first.finish();
    const s = start(parts, { subagents, journal: Journal.open(journals.copyOf(store), journals.journalDeps) });
    expect(directoryOf(s).list()).toMatchObject([{ agentId: "A", state: "parked", requests: 2 }]);
    await directoryOf(s).load();
    expect(directoryOf(s).list()).toMatchObject([
      { agentId: "A", state: "parked" },
      { agentId: "A.Deep", parentId: "A", state: "parked", status: "completed", requests: 1 },
    ]);
    expect(directoryOf(s).outputOf("A.Deep")).toBe("dug");
    const { bytes } = await s.session.schemes.read("history://A.Deep", new AbortController().signal);
    expect(new TextDecoder().decode(bytes)).toContain("dig");
    await expect(directoryOf(s).send("A.Deep", "more")).rejects.toThrow(
      "The agent A.Deep belongs to A, which is not open. Send A a message first.",
    );
    await s.finish();
  });
});

describe("progress", () => {
  const facts = {
    header: { agentId: "A", parentSession: "s", parentCall: "c", cwd: "/" },
    model: undefined,
    agent: "explore",
    maxTurns: 0,
    task: "look",
    description: undefined,
    isReported: false,
    isIsolated: false,
  };
  const refuse = async () => {
    throw new Error("not here");
  };
  const owner = {
    agentId: undefined,
    isClosed: false,
    send: refuse,
    stop: refuse,
    revive: refuse,
    withJournal: refuse,
  };
  const event = (timestamp: number, kind: EventKind, data: object) =>
    ({ kind, seq: 1, timestamp, session_id: "s", data }) as unknown as SessionEvent;

  it("SA-01 SA-08 G-76 reports at most once in 150 ms, always the last state, in 8 lines within 8 KiB", () => {
    const told: { readonly at: number; readonly agent: AgentOverview }[] = [];
    let now = 1_000;
    let timer: { readonly at: number; readonly run: () => void } | undefined;
    const setTimer = (run: () => void, ms: number) => {
      timer = { at: now + ms, run };
      return { cancel: () => (timer = undefined) };
    };
    const directory = new Directory({
      tellsProgress: true,
      deps: { ...testDeps(), now: () => now, setTimer },
      tell: (_kind, agent) => told.push({ at: now, agent }),
    });
    directory.add(newChild(facts, undefined, undefined), owner);
    for (let i = 0; i < 1_000; i++, now++) {
      if (timer && timer.at <= now) timer.run();
      directory.noteEvent("A", event(now, "assistant_text_delta", { delta: `line ${i}\n` }));
    }
    now += 150;
    timer?.run();
    expect(told.length).toBe(8);
    for (const [i, { at }] of told.entries()) if (i > 0) expect(at - told[i - 1]!.at).toBeGreaterThanOrEqual(150);
    expect(told.at(-1)!.agent.tail).toEqual(Array.from({ length: 8 }, (_, i) => `line ${992 + i}`));
    directory.noteEvent("A", event(now, "assistant_text_delta", { delta: "é".repeat(20_000) }));
    const [{ tail } = { tail: [] }] = directory.list();
    expect(tail).toHaveLength(1);
    expect(Buffer.byteLength(tail[0]!)).toBeLessThanOrEqual(8 * 1024);
    expect(Buffer.byteLength(tail[0]!)).toBeGreaterThan(8_000);
  });
});
