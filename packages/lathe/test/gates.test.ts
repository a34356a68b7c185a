// Gates and the interview over RPC: addressed, checked, durable questions that a program answers (G-10, G-101).

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { RpcClient } from "../src/index.ts";
import { type Stage, stage } from "./contract-kit.ts";
import { asksAndProposes, COLOURS, interview, WISH } from "./gates-kit.ts";
import { type Frame, RpcHost } from "./rpc-host.ts";

let scene: Stage;
afterEach(() => scene?.close());

async function begin(script = asksAndProposes as never, ...args: string[]): Promise<RpcHost> {
  scene = await stage(script);
  return open(...args);
}
const open = (...args: string[]): RpcHost =>
  new RpcHost(scene.box.open([...scene.args, "--mode", "rpc", ...args], scene.env));
const gateFrame = (rpc: RpcHost, number: number): Promise<Frame> =>
  rpc.wait(
    `gate ${number}`,
    ({ type, gate_id }) => type === "workflow_gate" && String(gate_id).endsWith(`00000${number}`),
  );
const respond = (rpc: RpcHost, gate: Frame, answer: unknown, key?: string): Promise<Frame> =>
  rpc.ask("workflow_gate_response", {
    gate_id: gate["gate_id"],
    answer,
    ...(key === undefined ? {} : { idempotency_key: key }),
  });
const sessionFile = (): string => {
  const sessions = join(scene.box.home, ".lathe/sessions");
  const names = readdirSync(sessions, { recursive: true, encoding: "utf8" }).filter((one) => one.endsWith(".jsonl"));
  // One that was refused may have left an empty session.
  return join(sessions, names.sort().at(-1) ?? "");
};
const journal = (): string => readFileSync(sessionFile(), "utf8");
const spec = (): string => {
  const folder = join(scene.box.dir, ".lathe/specs");
  return existsSync(folder) ? readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8") : "";
};

describe("G-10 gates over RPC", () => {
  it("G-10 G-101 an answer is checked, kept, and given once; the same key replays it", async () => {
    const rpc = await begin();
    rpc.send({ type: "prompt", message: WISH });
    const gate = await gateFrame(rpc, 1);
    expect(gate).toMatchObject({
      gate_id: expect.stringMatching(/^wg_[0-9a-f]{8}_deep-interview_000001$/),
      stage: "deep-interview",
      kind: "question",
      options: [{ value: "red" }, { value: "blue", description: "like the sea" }],
      context: { title: "Which colour?", stage_state: "asking", summary: "a wall" },
      required: true,
    });
    // The frame comes before the dialog that asks the same.
    const at = rpc.frames.findIndex(({ type }) => type === "extension_ui_request");
    expect(at === -1 || rpc.frames.indexOf(gate) < at).toBe(true);
    expect(await respond(rpc, gate, 42)).toMatchObject({
      success: true,
      data: {
        status: "rejected",
        error: {
          code: "invalid_workflow_gate_answer",
          schema_hash: gate["schema_hash"],
          errors: [{ path: "/answer", keyword: "anyOf" }],
        },
      },
    });
    expect(await respond(rpc, gate, { selected: ["green"], more: 1 })).toMatchObject({
      data: {
        status: "rejected",
        error: {
          errors: [
            { path: "/answer/selected", keyword: "enum", expected: [["red"], ["blue"]] },
            { path: "/answer/more", keyword: "additionalProperties" },
          ],
        },
      },
    });
    // One is to be chosen, once.
    for (const selected of [[], ["red", "blue"], ["red", "red"]])
      expect(await respond(rpc, gate, { selected })).toMatchObject({
        data: { status: "rejected", error: { errors: [{ path: "/answer/selected", keyword: "enum" }] } },
      });
    expect(await respond(rpc, { type: "", gate_id: "wg_x" }, "red")).toMatchObject({
      success: false,
      error: { code: "unknown_gate" },
    });
    const answer = { selected: ["blue"], other: "or sea green" };
    const accepted = await respond(rpc, gate, answer, "k1");
    expect(accepted).toMatchObject({ success: true, data: { gate_id: gate["gate_id"], status: "accepted" } });
    const { other, selected } = answer;
    expect((await respond(rpc, gate, { other, selected }, "k1"))["data"]).toEqual(accepted["data"]);
    expect(await respond(rpc, gate, "red", "k1")).toMatchObject({ error: { code: "idempotency_conflict" } });
    expect(await respond(rpc, gate, "red", "k2")).toMatchObject({ error: { code: "already_resolved" } });
    expect(journal()).toContain('"customType":"lathe:gate_answer"');
    const approval = await gateFrame(rpc, 2);
    expect(approval).toMatchObject({ kind: "approval", context: { prompt: expect.stringContaining("A wall") } });
    expect(await rpc.data("get_state")).toMatchObject({
      workflow: { name: "deep-interview", state: "review", gate: { gate_id: approval["gate_id"] } },
    });
    await respond(rpc, approval, "approve");
    await rpc.event("agent_end");
    expect(spec()).toBe("# A wall\n\n## Goal\nA wall. Version 1.\n");
    expect(scene.server.requests.at(-1)?.text).toContain("The user answered: blue, or sea green");
    const states = rpc.events().filter(({ type }) => type === "lathe:workflow");
    expect(states.map(({ state }) => state)).toEqual(["asking", "asking", "asking", "review", "accepted"]);
    expect(await rpc.finish()).toBe(0);
  });

  it.skipIf(!has("python3"))("G-10 the hashes are those that Python computes (needs python3)", async () => {
    const rpc = await begin();
    rpc.send({ type: "prompt", message: WISH });
    const gate = await gateFrame(rpc, 1);
    const answer = { selected: ["red"], other: 'ä€🎉 "\u0007' };
    const { data } = await respond(rpc, gate, answer);
    const program =
      "import hashlib,json,sys\nfor v in json.load(sys.stdin): print(hashlib.sha256(json.dumps(v,sort_keys=True,separators=(',',':'),ensure_ascii=False).encode()).hexdigest())";
    const { stdout } = spawnSync("python3", ["-c", program], {
      input: JSON.stringify([gate["schema"], answer]),
      encoding: "utf8",
    });
    expect(stdout.trim().split("\n")).toEqual([gate["schema_hash"], (data as { answer_hash: string }).answer_hash]);
    await gateFrame(rpc, 2);
    await rpc.end();
  });

  it("G-10 G-101 of several options each is taken once, and none of them is an answer that the model hears", async () => {
    let asked = 0;
    const asksTwice = () =>
      ++asked > 2
        ? turn.text("Asked enough.")
        : interview({ op: "ask", question: `Which, ${asked}?`, options: COLOURS, multi: true });
    const rpc = await begin(asksTwice as never);
    rpc.send({ type: "prompt", message: WISH });
    await respond(rpc, await gateFrame(rpc, 1), { selected: ["blue", "red", "blue"] });
    await respond(rpc, await gateFrame(rpc, 2), { selected: [] });
    await rpc.event("agent_end");
    const said = scene.server.requests.at(-1)?.text ?? "";
    expect(said).toContain("The user answered: blue, red");
    expect(said).toContain("The user answered: none of them");
    expect(await rpc.finish()).toBe(0);
  });

  it("G-10 the dialog of the same question closes when a program has answered, and the other way round", async () => {
    const rpc = await begin();
    rpc.send({ type: "prompt", message: WISH });
    const dialog = await rpc.wait("a dialog", ({ type }) => type === "extension_ui_request");
    expect(dialog).toMatchObject({ method: "select", title: "Which colour?", options: ["red", "blue"] });
    const gate = await gateFrame(rpc, 1);
    await respond(rpc, gate, "red");
    expect(await rpc.wait("the end of the dialog", ({ method }) => method === "cancel")).toMatchObject({
      targetId: dialog["id"],
      by: "host",
    });
    const next = await rpc.wait(
      "the next dialog",
      ({ method, title }) => method === "select" && title !== "Which colour?",
    );
    const approval = await gateFrame(rpc, 2);
    rpc.send({ type: "extension_ui_response", id: next["id"], value: "make it higher" });
    const again = await gateFrame(rpc, 3);
    expect(await respond(rpc, approval, "approve")).toMatchObject({ error: { code: "already_resolved" } });
    expect(scene.server.requests.at(-1)?.text).toContain("The user wants changes: make it higher");
    await respond(rpc, again, "reject");
    await rpc.event("agent_end");
    expect([spec(), rpc.frames.at(-1)]).toMatchObject(["", expect.anything()]);
    expect(await rpc.data("get_state")).toMatchObject({ workflow: { state: "rejected" } });
    expect(await rpc.finish()).toBe(0);
  });

  it("G-10 a host that cancels the dialog still answers the gate; nobody else does it for it", async () => {
    const rpc = await begin();
    rpc.send({ type: "prompt", message: WISH });
    const dialog = await rpc.wait("a dialog", ({ type }) => type === "extension_ui_request");
    rpc.send({ type: "extension_ui_response", id: dialog["id"], cancelled: true });
    expect(await rpc.data("get_state")).toMatchObject({ isStreaming: true, workflow: { gate: { required: true } } });
    await respond(rpc, await gateFrame(rpc, 1), "red");
    await respond(rpc, await gateFrame(rpc, 2), "approve");
    await rpc.event("agent_end");
    expect(spec()).toContain("A wall");
    expect(await rpc.finish()).toBe(0);
  });

  it("G-10 without an answer the run stops at its deadline; an answer that comes later is taken with the next message", async () => {
    scene = await stage(asksAndProposes as never);
    const env = { ...scene.env, LATHE_RPC_DIALOG_TIMEOUT: "1500" };
    const rpc = new RpcHost(scene.box.open([...scene.args, "--mode", "rpc"], env));
    await rpc.prompt(WISH);
    const gate = await gateFrame(rpc, 1);
    expect(await rpc.data("get_state")).toMatchObject({ workflow: { gate: { gate_id: gate["gate_id"] } } });
    expect(await respond(rpc, gate, "blue")).toMatchObject({ data: { status: "accepted" } });
    const from = rpc.frames.length;
    rpc.send({ type: "prompt", message: "go on" });
    await respond(rpc, await gateFrame(rpc, 2), "approve");
    await rpc.event("agent_end", from);
    expect(scene.server.requests.at(-1)?.text).toContain("The user answered: blue");
    expect(spec()).toContain("A wall");
    await rpc.end();
  });

  it("G-10 G-101 after a SIGKILL at an open gate the next message is its answer, not a new wish", async () => {
    const rpc = await begin();
    rpc.send({ type: "prompt", message: WISH });
    await gateFrame(rpc, 1);
    const atKill = readFileSync(sessionFile());
    await rpc.end();
    const resume = async (...args: string[]) => {
      writeFileSync(sessionFile(), atKill);
      return await scene.run(["-c", "-p", ...args]);
    };
    expect(await resume("blue")).toMatchObject({ code: 6, stdout: expect.stringContaining("## Goal") });
    expect(scene.server.requests.at(-1)?.text).toContain("The user answered: blue");
    // A number that is no option is a slip; asking to go on answers nothing.
    expect(await resume("3")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no option 3. Give a number from 1 to 2, or an answer in words."),
    });
    expect(await resume()).toMatchObject({ code: 6, stdout: expect.stringContaining("Which colour?") });
  });

  it("G-10 an answer that a program gave to the gate of a killed process is taken with the next message", async () => {
    const rpc = await begin();
    rpc.send({ type: "prompt", message: WISH });
    const gate = await gateFrame(rpc, 1);
    const atKill = readFileSync(sessionFile());
    await rpc.end();
    writeFileSync(sessionFile(), atKill);
    const second = open("-c");
    expect(await respond(second, gate, "blue")).toMatchObject({ data: { status: "accepted" } });
    second.send({ type: "prompt", message: "go on" });
    await respond(second, await gateFrame(second, 2), { decision: "approve", feedback: "and be quick" });
    await second.event("agent_end");
    const said = scene.server.requests.at(-1)?.text ?? "";
    expect(said).toContain("The user answered: blue");
    // What is said with a yes is said to the model.
    expect(said).toMatch(/accepted the specification[^"]*They add: and be quick/);
    expect(await second.finish()).toBe(0);
  });

  it("G-10 an answer of a person that is too long is refused in words, and asked for again", async () => {
    const rpc = await begin();
    rpc.send({ type: "prompt", message: WISH });
    const first = await rpc.wait("a dialog", ({ method }) => method === "select");
    rpc.send({ type: "extension_ui_response", id: first["id"], value: "x".repeat(100_001) });
    const again = await rpc.wait("another", ({ method, id }) => method === "select" && id !== first["id"]);
    expect(again).toMatchObject({ title: "Which colour?" });
    expect(rpc.frames).toContainEqual(
      expect.objectContaining({
        type: "event",
        payload: expect.objectContaining({
          event: expect.objectContaining({
            message: "Your answer was not taken: it must have at most 100000 characters.",
          }),
        }),
      }),
    );
    await rpc.end();
    const words = await scene.run(["-c", "-p"], { stdin: "x".repeat(100_001) });
    expect(words).toMatchObject({ code: 1, stderr: expect.stringContaining("at most 100000 characters") });
    expect(await scene.run(["-c", "-p", "blue"])).toMatchObject({ code: 6 });
  });

  it("G-10 G-101 after the host has gone the same question is asked again, and nothing is sent before its answer", async () => {
    const rpc = await begin();
    rpc.send({ type: "prompt", message: WISH });
    const gate = await gateFrame(rpc, 1);
    expect(await rpc.finish()).toBe(0);
    const print = await scene.run(["-c", "-p"]);
    expect(print).toMatchObject({ code: 6, stdout: expect.stringContaining("Which colour?\n  1. red\n  2. blue") });
    const second = open("-c");
    second.send({ type: "continue" });
    expect(await gateFrame(second, 1)).toEqual(gate);
    const dialog = await second.wait("a dialog", ({ method }) => method === "select");
    // White space is no answer, from the dialog or from a program.
    second.send({ type: "extension_ui_response", id: dialog["id"], value: "  " });
    await second.wait("another", ({ method, id }) => method === "select" && id !== dialog["id"]);
    for (const [answer, path] of [
      [" \n", "/answer"],
      [{ selected: ["red"], other: "\t" }, "/answer/other"],
    ] as const)
      expect(await respond(second, gate, answer)).toMatchObject({
        data: { status: "rejected", error: { errors: [{ path, message: "must not be empty" }] } },
      });
    expect(scene.server.requests).toHaveLength(1);
    await respond(second, gate, "blue");
    await respond(second, await gateFrame(second, 2), "approve");
    await second.event("agent_end");
    expect(scene.server.requests[1]?.text).toContain("The user answered: blue");
    expect(journal()).not.toContain("withdrawn");
    expect(spec()).toContain("A wall");
    expect(await second.finish()).toBe(0);
  });

  it("G-10 G-105 /workflow stop at an open gate ends the run: the model is asked nothing more", async () => {
    const rpc = await begin();
    rpc.send({ type: "prompt", message: WISH });
    await gateFrame(rpc, 1);
    expect(await rpc.ask("prompt", { message: "/workflow stop" })).toMatchObject({ success: true });
    await rpc.event("agent_end");
    expect(scene.server.requests).toHaveLength(1);
    expect(await rpc.data("get_state")).toMatchObject({ isStreaming: false, workflow: { state: "stopped" } });
    expect(await rpc.finish()).toBe(0);
  });

  it("G-12 the TypeScript client answers gates, and hears of an answer that does not fit", async () => {
    scene = await stage(asksAndProposes as never);
    const agent = new RpcClient({ cwd: scene.box.dir, env: { ...scene.box.env, ...scene.env }, args: [...scene.args] });
    const failures: string[] = [];
    let answer: unknown = 7;
    agent.onWorkflowGate((gate) => (gate.kind === "approval" ? "approve" : answer));
    await agent.start();
    const failed = new Promise<void>((resolve) => {
      agent.onFailure((error) => {
        failures.push(error.message);
        resolve();
      });
    });
    await agent.prompt(WISH);
    await failed;
    expect(failures).toEqual([expect.stringMatching(/^The answer to wg_\S+ was rejected: \/answer fits none/)]);
    answer = "blue";
    const { workflow } = await agent.getState();
    expect(await agent.respondGate(workflow?.gate?.gate_id ?? "", answer)).toMatchObject({ status: "accepted" });
    await agent.waitForIdle();
    expect(spec()).toContain("A wall");
    await agent.stop();
  });
});
