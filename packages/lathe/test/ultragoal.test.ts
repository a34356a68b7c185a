// ultragoal: a goal in parts that the user signs off at a gate, done when each part is proven (G-103, on the goals of N1).

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RecordedRequest, turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { CLI, collect } from "./command.ts";
import { type Stage, stage } from "./contract-kit.ts";
import { lensOf } from "./review-kit.ts";
import { type Frame, RpcHost } from "./rpc-host.ts";

let scene: Stage;
afterEach(() => scene.close());

const FULL = ["--permission-mode", "full"];
const call = (name: string, args: object) => turn.calls([{ name, args: args as never }]);
const part = (name: string) => ({ text: `${name} is there`, until: `test -f ${name}.txt` });
const GOAL = { text: "Three files", until: "test -f a.txt && test -f c.txt", parts: ["a", "b", "c"].map(part) };
const open = (...args: string[]): RpcHost =>
  new RpcHost(scene.box.open([...scene.args, ...FULL, "--mode", "rpc", ...args], scene.env));
const gateFrame = (rpc: RpcHost, number: number): Promise<Frame> =>
  rpc.wait(
    `gate ${number}`,
    ({ type, gate_id }) => type === "workflow_gate" && String(gate_id).endsWith(`00000${number}`),
  );
const respond = (rpc: RpcHost, gate: Frame, answer: unknown): Promise<Frame> =>
  rpc.ask("workflow_gate_response", { gate_id: gate["gate_id"], answer });
const lastResult = (index: number): string =>
  scene.server.requests[index]?.view.messages
    .at(-1)
    ?.results.map(({ text }) => text)
    .join("\n") ?? "";

it("G-103 work begins with the sign-off; parts are proven one by one, none is dropped, and an open one keeps it open", async () => {
  scene = await stage([
    call("ultragoal", GOAL),
    call("sub_goal", { op: "drop", number: 3, reason: "x" }),
    call("shell", { command: "touch a.txt b.txt" }),
    call("sub_goal", { op: "done", number: 1 }),
    call("sub_goal", { op: "done", number: 2 }),
    call("sub_goal", { op: "done", number: 3 }),
    call("shell", { command: "touch c.txt" }),
    turn.text("Done?"),
    call("sub_goal", { op: "done", number: 3 }),
    turn.text("All done."),
  ]);
  const rpc = open();
  rpc.send({ type: "prompt", message: "/skill:ultragoal three files" });
  const gate = await gateFrame(rpc, 1);
  expect(gate).toMatchObject({ stage: "ultragoal", kind: "execution", context: { stage_state: "sign-off" } });
  expect((gate["context"] as { prompt: string }).prompt).toContain("3. c is there\n   until `test -f c.txt` passes");
  expect(existsSync(join(scene.box.dir, "a.txt"))).toBe(false);
  await respond(rpc, gate, "approve");
  await rpc.event("agent_end");
  expect(lastResult(2)).toContain("signed these parts off");
  expect(lastResult(6)).toContain("Sub-goal 3 is not proven");
  expect(scene.server.requests[8]?.view.messages.at(-1)?.text).toContain("still open:\n3. c is there");
  expect(await rpc.data("get_state")).toMatchObject({ workflow: { name: "ultragoal", state: "done" } });
  expect(await rpc.finish()).toBe(0);
});

it("G-103 after a kill it goes on at the third part; a changed list keeps what is proven", async () => {
  scene = await stage(({ view: { messages } }: RecordedRequest) => {
    const results = messages.flatMap((message) => message.results.map(({ text }) => text));
    const signed = results.filter((text) => text.includes("signed the goal off")).length;
    const proven = results.findLast((text) => text.startsWith("Proven."))?.match(/\[x\]/g)?.length ?? 0;
    const has = (name: string): boolean => existsSync(join(scene.box.dir, name));
    if (signed === 0) return call("ultragoal", GOAL);
    if (!has("b.txt")) return call("shell", { command: "touch a.txt b.txt" });
    if (proven < 2) return call("sub_goal", { op: "done", number: proven + 1 });
    if (signed === 1) return call("ultragoal", { ...GOAL, parts: ["a", "b", "d"].map(part) });
    if (!has("d.txt")) return call("shell", { command: "touch c.txt d.txt" });
    return proven < 3 ? call("sub_goal", { op: "done", number: 3 }) : turn.text("All done.");
  });
  const first = new RpcHost(scene.box.start([...scene.args, ...FULL, "--mode", "rpc"], scene.env));
  first.send({ type: "prompt", message: "/skill:ultragoal three files" });
  await respond(first, await gateFrame(first, 1), "approve");
  const asked = await gateFrame(first, 2);
  const gone = once(first.child as ChildProcessWithoutNullStreams, "close");
  await first.end();
  await gone;
  const second = open("-c");
  second.send({ type: "continue" });
  const again = await gateFrame(second, 2);
  expect(again).toEqual(asked);
  await respond(second, again, "approve");
  await second.event("agent_end");
  const said = scene.server.requests.at(-1)?.text ?? "";
  expect(said).toMatch(/1\. \[x\] a is there[^"]*2\. \[x\] b is there[^"]*3\. \[x\] d is there/);
  expect(await second.data("get_state")).toMatchObject({ workflow: { state: "done" } });
  expect(await second.finish()).toBe(0);
});

it("G-103 a changed list that is rejected or sent back leaves the one before, and the work goes on with it", async () => {
  const changed = { ...GOAL, parts: ["a", "d"].map(part) };
  scene = await stage([
    call("ultragoal", GOAL),
    call("ultragoal", changed),
    call("ultragoal", changed),
    call("shell", { command: "touch a.txt b.txt c.txt" }),
    ...[1, 2, 3].map((number) => call("sub_goal", { op: "done", number })),
    turn.text("All done."),
  ]);
  const rpc = open();
  rpc.send({ type: "prompt", message: "/skill:ultragoal three files" });
  await respond(rpc, await gateFrame(rpc, 1), { decision: "approve", feedback: "be quick" });
  await respond(rpc, await gateFrame(rpc, 2), { decision: "request-changes", feedback: "keep c" });
  const third = await gateFrame(rpc, 3);
  expect(await rpc.data("get_state")).toMatchObject({ workflow: { state: "sign-off" } });
  await respond(rpc, third, "reject");
  await rpc.event("agent_end");
  // Text sent with an approval reaches the model, too.
  expect(lastResult(1)).toMatch(/signed the goal off[\s\S]*They add: be quick/);
  expect(lastResult(2)).toMatch(/wants other changes: keep c\n.*the one before holds/);
  expect(lastResult(3)).toContain("rejected the changed list");
  expect(await rpc.data("get_state")).toMatchObject({ workflow: { name: "ultragoal", state: "done" } });
  expect(await rpc.finish()).toBe(0);
});

it("G-103 in print mode the sign-off ends the run, and a run with an open part does not end as done", async () => {
  scene = await stage(({ text, view: { messages } }: RecordedRequest) => {
    const results = messages.flatMap((message) => message.results.map((one) => one.text));
    const proven = results.findLast((one) => one.startsWith("Proven."))?.match(/\[x\]/g)?.length ?? 0;
    if (!/signed the goal off/.test(text)) return call("ultragoal", GOAL);
    if (!existsSync(join(scene.box.dir, "c.txt"))) return call("shell", { command: "touch a.txt b.txt c.txt" });
    if (proven === 1 && !/now really/.test(text)) return turn.text("It is done.");
    return proven < 3 ? call("sub_goal", { op: "done", number: proven + 1 }) : turn.text("All done.");
  });
  const first = await scene.run([...FULL, "-p", "/skill:ultragoal three files"]);
  expect(first).toMatchObject({ code: 6, stdout: expect.stringContaining('Work on "Three files"?\n  1. Start') });
  const second = await scene.run([...FULL, "-c", "-p", "1"]);
  expect(second).toMatchObject({ code: 6, stderr: expect.stringContaining("The workflow ultragoal is not finished") });
  // The goal's command passes, parts are open, and nothing changes: the model is told once, not forever.
  expect(second.stderr).toContain("sub-goals are still open: 2, 3");
  expect(scene.server.requests).toHaveLength(5);
  expect((await scene.box.run(["workflow", "status"])).stdout).toBe("ultragoal: executing\n");
  expect(await scene.run([...FULL, "-c", "-p", "now really"])).toMatchObject({ code: 0, stdout: "All done.\n" });
  expect((await scene.box.run(["workflow", "status"])).stdout).toBe("ultragoal: done (ended)\n");
});

it("G-103 a command that no shell can read is refused before the user is asked", async () => {
  scene = await stage([call("ultragoal", { ...GOAL, until: "grep 'a" }), turn.text("Sorry.")]);
  expect(await scene.run(["-p", "/skill:ultragoal three files"])).toMatchObject({ code: 6, stdout: "Sorry.\n" });
  expect(lastResult(1)).toContain("cannot read `grep 'a`");
});

it.skipIf(!has("python3"))(
  "G-12 one Python program drives interview, plan and goal through their gates (needs python3)",
  async () => {
    scene = await stage((request: RecordedRequest) => {
      const name = lensOf(request).toLowerCase();
      const hand = (value: object) => call("yield", { output: JSON.stringify(value) });
      if (name.startsWith("planner")) return hand({ title: "A wall", plan: "Build it.", adr: "Stone.", claims: [] });
      if (name !== "") return hand({ verdict: "approve", reason: "Checked.", evidence: [] });
      const said = request.view.messages
        .flatMap(({ text, results }) => [text, ...results.map((one) => one.text)])
        .join("\n");
      if (/Proven\./.test(said)) return turn.text("Built.");
      if (/signed the goal off/.test(said))
        return existsSync(join(scene.box.dir, "a.txt"))
          ? call("sub_goal", { op: "done", number: 1 })
          : call("shell", { command: "touch a.txt" });
      if (/<skill name="ultragoal">/.test(said))
        return call("ultragoal", { text: "A wall", until: "test -f a.txt", parts: [part("a")] });
      if (/the user approved the plan/.test(said)) return turn.text("Planned.");
      if (/<skill name="ralplan">/.test(said)) return call("ralplan", { task: "A wall." });
      // A tool of the program; none of a host runs before the specification is accepted.
      if (/accepted the specification/.test(said))
        return /^blue$/m.test(said) ? turn.text("Specified, blue.") : call("lookup", { key: "colour" });
      if (/The user answered/.test(said)) return call("interview", { op: "spec", title: "A wall", text: "High." });
      return call("interview", { op: "ask", question: "Which?", options: [{ label: "low" }, { label: "high" }] });
    });
    const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
    const program = [here("../../../clients/python/examples/workflows.py"), "a wall", process.execPath, CLI];
    mkdirSync(join(scene.box.dir, "src"));
    writeFileSync(join(scene.box.dir, "src/x.txt"), "x\n");
    const { code, stdout, stderr } = await collect(
      spawn("python3", ["-B", ...program, ...scene.args, ...FULL], {
        cwd: scene.box.dir,
        env: { ...scene.box.env, ...scene.env },
      }),
    );
    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n")).toEqual([
      "question Which?",
      'approval Accept the specification "A wall"?',
      "Specified, blue.",
      'approval Carry out the plan "A wall"?',
      "Planned.",
      'execution Work on "A wall"?',
      "Built.",
    ]);
    expect(code).toBe(0);
  },
);
