import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gate } from "@lathe/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Isolation, IsolationRequest, SubagentOptions } from "../../src/agents/subagents/types.ts";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { childJournalFiles, openJournalFile } from "../../src/record/journal/open-file.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { agentProfile, batch, cast, explore, types, yields } from "../support/agents.ts";
import { type Setup, setUp, testDeps } from "../support/session.ts";

const start = (parts: Parameters<typeof cast>[0], subagents: SubagentOptions = {}) =>
  setUp({
    profile: agentProfile(),
    subagents: { types, ...subagents },
    script: cast(parts),
    config: { jobReports: "run" },
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
/** Looks up kinds of agents only when the gate opens. */
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

  it("SB-01 an empty task is refused, and no agent is started for it", async () => {
    const s = start({});
    await expect(s.session.subagents.spawn({ task: " \n", callId: "h", agent: "task" })).rejects.toThrow(
      "The task is empty. Say what the agent should do.",
    );
    expect(states(s)).toEqual([]);
    await s.finish();
  });

  it("SA-04 a session that is ended while its last input is written down begins no other one", async () => {
    const syncing = gate();
    const store = new MemoryStore();
    let isHeld = false;
    const held = Object.assign(store, { sync: () => (isHeld ? syncing.wait() : Promise.resolve()) });
    const deps = testDeps();
    const journalDeps = { blobs: new MemoryBlobs(), now: deps.now, newId: idSource(deps.random) };
    const journal = Journal.create({ id: deps.uuid(), cwd: "/" }, () => held, journalDeps);
    const ended = (s: Setup) => s.of("processing_end").map(({ data }) => data.reason);
    const s = setUp({ script: [{ text: "one" }, { text: "two" }], journal, deps });
    s.session.followUp("later");
    const input = s.session.submit("go on");
    isHeld = true;
    await syncing.reached;
    const closed = s.session.close();
    isHeld = false;
    syncing.open();
    await Promise.all([input, closed]);
    await s.finish();
    expect(ended(s)).toHaveLength(1);
    // The same for a host that ends the session when it learns of the end.
    const other = setUp({
      script: [{ text: "one" }, { text: "two" }],
      onEvent: ({ kind }) => void (kind === "processing_end" && other.session.close()),
    });
    other.session.followUp("later");
    await other.session.submit("go on");
    await other.finish();
    expect(ended(other)).toEqual(["completed"]);
  });

  it("SA-04 an agent that the host starts before any input has its file beside the session's", async () => {
    const dir = mkdtempSync(join(tmpdir(), "starts-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const deps = testDeps();
    const journal = openJournalFile({ path: join(dir, "s.jsonl"), cwd: "/", deps });
    const s = setUp({
      profile: agentProfile(),
      journal,
      deps,
      subagents: { types, journal: childJournalFiles(journal, { deps }) },
      script: cast({ alone: [yields("done")] }),
    });
    const { agentId } = await s.session.subagents.spawn({ task: "alone", callId: "h", agent: "task" });
    const { output } = await s.session.subagents.wait(agentId, new AbortController().signal);
    await s.finish();
    expect([output, existsSync(join(dir, "s", `${agentId}.jsonl`))]).toEqual(["done", true]);
  });
});
