import { gate } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/blobs/store.ts";
import { MemoryEnvironment } from "../../src/env/memory.ts";
import { idSource } from "../../src/journal/ids.ts";
import { Journal } from "../../src/journal/journal.ts";
import { MemoryStore } from "../../src/journal/store.ts";
import type { Isolation, IsolationRequest, SubagentOptions } from "../../src/subagents/types.ts";
import { agentProfile, batch, cast, childJournals, explore, firstText, types, yields } from "../support/agents.ts";
import { type Setup, type SetupOptions, setUp, testDeps } from "../support/session.ts";

const start = (parts: Parameters<typeof cast>[0], subagents: SubagentOptions = {}, more: Partial<SetupOptions> = {}) =>
  setUp({
    profile: agentProfile(),
    subagents: { types, ...subagents },
    script: cast(parts),
    config: { jobReports: "run" },
    ...more,
  });
const states = ({ session }: Setup) =>
  session.subagents.directory.list().map(({ agentId, state, status }) => `${agentId} ${state} ${status}`);
const until = async (isSo: () => boolean): Promise<void> => {
  for (let i = 0; i < 5_000 && !isSo(); i++) await new Promise((resolve) => setImmediate(resolve));
  expect(isSo()).toBe(true);
};
const three = [
  { id: "A", assignment: "first" },
  { id: "B", assignment: "second" },
  { id: "C", assignment: "third" },
];
/** Kinds of agents that are looked up until the gate opens. */
const slowTypes = () => {
  const held = gate();
  return { held, types: () => held.wait().then(types) };
};

describe("agents that are being started", () => {
  it("SA-04 none starts behind the end of the session, whoever wanted it", async () => {
    const { held, types: slow } = slowTypes();
    const s = start({ "go on": [batch(three), { text: "done" }] }, { types: slow });
    const input = s.session.submit("go on");
    const spawned = s.session.subagents.spawn({ task: "host's", callId: "h", agent: "task" }).catch(String);
    await held.reached;
    const closed = s.session.close();
    held.open();
    await Promise.all([input, closed]);
    expect(await spawned).toMatch(/^ToolFailure: The agent \w+ was not started: the session has ended\.$/);
    const late = s.session.subagents.spawnBatch({
      callId: "l",
      agent: "task",
      tasks: [{ id: "L", assignment: "late" }],
    });
    expect((await late).failed).toEqual([{ agentId: "L", why: "The agent L was not started: the session has ended." }]);
    expect(states(s)).toEqual([]);
    expect(s.client.requests).toHaveLength(1);
    await s.finish();
  });

  it("SA-04 an interrupt ends a batch that is being started: what was opened for it is closed, and nothing follows", async () => {
    const opening = gate();
    const asked: string[] = [];
    const closed: string[] = [];
    const isolate = async ({ agentId, signal }: IsolationRequest): Promise<Isolation> => {
      asked.push(agentId);
      await opening.wait();
      expect(signal.aborted).toBe(true);
      return {
        env: new MemoryEnvironment(),
        land: async () => ({ text: "", outcome: "nothing" }),
        close: async () => void closed.push(agentId),
      };
    };
    const s = start({ "go on": [batch(three)] }, { isolate, types: async () => [{ ...explore, isolation: "auto" }] });
    const input = s.session.submit("go on");
    await opening.reached;
    const interrupted = s.session.interrupt();
    opening.open();
    await Promise.all([input, interrupted]);
    await until(() => closed.length === 1);
    expect({ asked, closed, states: states(s), requests: s.client.requests.length }).toEqual({
      asked: ["A"],
      closed: ["A"],
      states: [],
      requests: 1,
    });
    await s.finish();
  });

  it("SA-04 an agent that was stopped before it began reads its assignment with the message that sets it to work", async () => {
    const held = gate();
    const s = start(
      {
        "go on": [batch(three.slice(0, 2)), { text: "done" }, { text: "told" }, { text: "told" }],
        first: () => ({ ...yields("one"), before: () => held.wait() }),
        second: [yields("two")],
      },
      { limits: () => ({ concurrency: 1 }) },
    );
    const { directory } = s.session.subagents;
    await s.session.submit("go on");
    await held.reached;
    await directory.stop("B");
    expect(directory.outputOf("B")).toBe("the user stopped it");
    held.open();
    await until(() => directory.running === 0);
    await directory.send("B", "Now, please.");
    await s.session.subagents.wait("B", new AbortController().signal);
    const request = s.client.requests.find((one) => firstText(one).includes("second"))!;
    expect(firstText(request)).toContain("You are B. Your assignment:\n\nsecond\n\nNow, please.");
    expect(directory.outputOf("B")).toBe("two");
    await s.finish();
  });

  it("SA-04 one that had not begun when the process ended is not set to work without its assignment", async () => {
    const deps = testDeps();
    const journals = childJournals(deps);
    const store = new MemoryStore();
    const journalDeps = { blobs: new MemoryBlobs(), now: deps.now, newId: idSource(deps.random) };
    const journal = Journal.create({ id: deps.uuid(), cwd: "/" }, () => store, journalDeps);
    const held = gate();
    const options = { limits: () => ({ concurrency: 1 }), journal: journals.journal };
    const first = start(
      {
        "go on": [batch(three.slice(0, 2)), { text: "done" }],
        first: () => ({ ...yields("one"), before: () => held.wait() }),
      },
      options,
      { journal, deps },
    );
    await first.session.submit("go on");
    await held.reached;
    held.open();
    await first.finish();
    const again = Journal.open(journals.copyOf(store), journalDeps);
    const s = start({ "go on": [{ text: "told" }] }, options, { journal: again, deps });
    await expect(s.session.subagents.directory.send("B", "Go on.")).rejects.toThrow(
      "The agent B never began and does not know its assignment. Start another one with it.",
    );
    await s.finish();
  });

  it("SB-01 an empty task is refused, and no agent is started for it", async () => {
    const s = start({});
    await expect(s.session.subagents.spawn({ task: " \n", callId: "h", agent: "task" })).rejects.toThrow(
      "The task is empty. Say what the agent should do.",
    );
    expect(states(s)).toEqual([]);
    await s.finish();
  });
});
