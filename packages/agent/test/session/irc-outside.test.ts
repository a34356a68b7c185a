// Messages between the main sessions of two processes: each is `Main` in its own process, and reaches the other by
// another name.

import { describe, expect, it } from "vitest";
import type { RelayedMessage } from "../../src/agents/irc/types.ts";
import { answersIn, type Play } from "../support/agents.ts";
import { irc, lastText, type Started, send, start, toolTexts } from "../support/irc.ts";
import { resultText } from "../support/scripted-client.ts";
import { testDeps } from "../support/session.ts";

/** As if they ran in separate processes: they know each other only through `relay`. */
function link(one: readonly [Started, string], other: readonly [Started, string]): RelayedMessage[] {
  const passed: RelayedMessage[] = [];
  for (const [[from, name], [to, otherName]] of [
    [one, other],
    [other, one],
  ] as const)
    from.session.exchange?.reachOutside({
      agents: () => [{ id: otherName, state: to.session.state === "processing" ? "running" : "idle" }],
      relay: async (message) => {
        passed.push(message);
        const receipt = await to.session.exchange!.receive({ ...message, from: name });
        return { ...receipt, to: otherName };
      },
    });
  return passed;
}

/** A message begins an input, as at a terminal. */
const wakes = { jobReports: "run" } as const;

describe("messages between processes", () => {
  it("G-23 T-IRC-1 a message wakes the session at the other side, and its answer is the result of the call that waits for it", async () => {
    const left = start({ "go on": [send("Right", "Which port?", { await: true }), { text: "done" }] });
    const right = start(
      {
        "Which port?": [
          (request) => {
            const [, id] = /<irc_message from="Left" id="(\d+)">\nWhich port\?\n<\/irc_message>/.exec(
              lastText(request),
            )!;
            return send("Left", "It is 80.", { replyTo: id });
          },
          { text: "answered" },
        ],
      },
      { config: wakes },
    );
    link([left, "Left"], [right, "Right"]);
    await left.session.submit("go on");
    const [result] = left.client.requests.flatMap(toolTexts);
    expect(result).toMatch(/^Right: woken \[(\d+)\]\n\[\d+\] Right \(reply to \1\): It is 80\.$/);
    await Promise.all([left.finish(), right.finish()]);
  });

  it("G-23 T-IRC-1 the others are listed, one that has gone is named, and only Main reaches outside", async () => {
    const left = start({ "go on": [send("Right", "Once."), irc({ op: "list" }, "l"), { text: "done" }] });
    const right = start({ "Once.": [{ text: "read" }] }, { config: wakes });
    link([left, "Left"], [right, "Right"]);
    await left.session.submit("go on");
    expect(lastText(right.client.requests.at(-1)!)).toContain("Once.");
    expect(left.client.requests.flatMap(toolTexts).at(-1)).toMatch(/^1 other agent:\n- Right \[(idle|running)\]$/);
    const child = left.session.exchange!.serviceFor("A");
    await expect(child.send({ to: "Right", text: "Psst", callId: "c" })).resolves.toEqual([
      { to: "Right", outcome: "failed", error: "There is no agent Right; known: Main." },
    ]);
    left.session.exchange!.reachOutside(undefined);
    const [gone] = await left.session.exchange!.serviceFor("Main").send({ to: "Right", text: "There?", callId: "d" });
    expect(gone).toMatchObject({ outcome: "failed", error: "There is no agent Right; there are no others." });
    await Promise.all([left.finish(), right.finish()]);
  });

  it("G-23 T-IRC-1 two sessions that only answer each other are stopped after 16 messages", async () => {
    const chat =
      (to: string): Play =>
      (request) =>
        answersIn(request) > 20
          ? { text: "done" }
          : send(to, `${answersIn(request)}`, { await: true, timeoutMs: 5000 }, `m${answersIn(request)}`);
    const config = { ...wakes, enableLoopDetection: false };
    const left = start({ "go on": chat("Right") }, { config });
    const right = start({ "<irc_message": chat("Left") }, { config });
    const passed = link([left, "Left"], [right, "Right"]);
    await left.session.submit("go on");
    expect(passed).toHaveLength(16);
    expect(passed.map(({ talk }) => talk)).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
    await Promise.all([left.finish(), right.finish()]);
  });

  it("G-23 T-IRC-1 waiting for another process always has a limit, and waiting for one that is idle is refused", async () => {
    const deps = testDeps();
    const left = start(
      {
        "go on": [
          irc({ op: "wait", from: "Right", timeoutMs: 0 }, "a"),
          irc({ op: "wait", from: "Right", timeoutMs: 0 }, "b"),
          { text: "done" },
        ],
      },
      { deps: { ...deps, setTimer: (callback, ms) => deps.setTimer(callback, ms === 120_000 ? 0 : ms) } },
    );
    const states = ["running", "running", "idle"] as const;
    let asked = 0;
    left.session.exchange!.reachOutside({
      agents: () => [{ id: "Right", state: states[left.client.requests.length] ?? "idle" }],
      relay: async ({ to }) => ({ to, outcome: "failed", error: `${++asked}` }),
    });
    await left.session.submit("go on");
    const last = left.client.requests.at(-1)!;
    expect(resultText(last, "a")).toContain("No message within 120000 ms.");
    expect(resultText(last, "b")).toContain("Not waiting: Main waits for Right, Right is not at work.");
    expect(asked).toBe(0);
    await left.finish();
  });
});
