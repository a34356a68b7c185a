import { gate } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { agentProfile, batch, builder, cast, explore, firstText, yields } from "../support/agents.ts";
import { resultText } from "../support/scripted-client.ts";
import { type SetupOptions, setUp, testDeps } from "../support/session.ts";

const TEN_MINUTES = 600_000;

/** An environment whose free memory the test decides, and timers that fire at once or when the test says so. */
function world(hasRoom: (ahead: number) => boolean) {
  const env = Object.assign(new MemoryEnvironment(), { hasRoom });
  const limits: (() => void)[] = [];
  const deps = testDeps();
  const setTimer: typeof deps.setTimer = (callback, ms) => {
    if (ms !== TEN_MINUTES) return deps.setTimer(callback, ms === 250 ? 0 : ms);
    limits.push(callback);
    return { cancel: () => void limits.splice(limits.indexOf(callback), 1) };
  };
  const start = (parts: Parameters<typeof cast>[0], options: Partial<SetupOptions> = {}) =>
    setUp({
      env,
      deps: { ...deps, setTimer },
      profile: agentProfile(),
      subagents: { types: async () => [{ ...explore, spawns: "*" as const }, builder] },
      script: cast(parts),
      config: { maxSubagentDepth: 2, jobReports: "wait" },
      ...options,
    });
  return { start, limits };
}
const pair = batch([
  { id: "A", assignment: "first" },
  { id: "B", assignment: "second" },
]);
const settled = async (isSo: () => boolean): Promise<void> => {
  for (let i = 0; i < 5_000 && !isSo(); i++) await new Promise((resolve) => setImmediate(resolve));
  expect(isSo()).toBe(true);
};

describe("admission by free memory", () => {
  it("SA-01 while memory is short the second agent waits, says so, and begins when there is room", async () => {
    let free = false;
    const held = gate();
    const { start, limits } = world(() => free);
    const s = start({
      "go on": [pair, { text: "done" }],
      first: () => ({ ...yields("one"), before: () => held.wait() }),
      second: [yields("two")],
    });
    const { directory } = s.session.subagents;
    const doing = () => directory.list().map((agent) => `${agent.agentId}: ${agent.state}, ${agent.doing}`);
    const ended = s.session.submit("go on");
    await settled(() => directory.list().length === 2 && s.client.requests.some((r) => firstText(r).includes("first")));
    expect(doing()[1]).toBe("B: running, Waiting for memory");
    expect(s.client.requests.some((request) => firstText(request).includes("second"))).toBe(false);
    expect(limits).toHaveLength(1);
    free = true;
    await settled(() => s.of("agent_progress").some(({ data }) => data.agent.agentId === "B"));
    held.open();
    await ended;
    expect(resultText(s.client.requests.at(-1)!, "t")).toMatch(/one[\s\S]*two/);
    expect(limits).toEqual([]);
    await s.finish();
  });

  it("SA-01 without room the agents work one after the other, and one that never gets any has failed within the bound", async () => {
    const held = gate();
    const { start, limits } = world(() => false);
    const s = start({
      "go on": [pair, pair, { text: "done" }],
      first: () => ({ ...yields("one"), before: () => held.wait() }),
      second: [yields("two")],
    });
    const { directory } = s.session.subagents;
    const ended = s.session.submit("go on");
    await settled(() => limits.length === 1);
    limits[0]!();
    await settled(() => directory.list()[1]?.status === "failed");
    expect(directory.outputOf("B")).toContain("it did not begin: there was too little free memory for 10 minutes.");
    held.open();
    await ended;
    // The second pair: A-2 works, then B-2.
    expect(directory.list().map(({ agentId, status }) => `${agentId} ${status}`)).toEqual([
      "A completed",
      "B failed",
      "A-2 completed",
      "B-2 completed",
    ]);
    await s.finish();
  });

  it("SA-01 an agent of an agent does not wait for the one that waits for it", async () => {
    const { start } = world(() => false);
    const nested = batch([{ id: "Deep", assignment: "dig" }], { agent: "task" });
    const s = start({
      "go on": [batch([{ id: "A", assignment: "nests" }]), { text: "done" }],
      nests: [nested, yields("up")],
      dig: [yields("down")],
    });
    await s.session.submit("go on");
    expect(s.session.subagents.directory.list().map(({ status }) => status)).toEqual(["completed", "completed"]);
    await s.finish();
  });
});
