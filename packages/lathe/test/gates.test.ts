// Gates and the interview over RPC: addressed, checked, durable questions that a program answers (G-10, G-101).

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeLine } from "@lathe/agent/record";
import type { RecordedRequest } from "@lathe/testkit";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { RpcClient } from "../src/index.ts";
import { type Stage, stage } from "./contract-kit.ts";
import { type Frame, RpcHost } from "./rpc-host.ts";

let scene: Stage;
afterEach(() => scene?.close());

const interview = (args: object) => turn.calls([{ name: "interview", args: args as never }]);
const COLOURS = [{ label: "red" }, { label: "blue", description: "like the sea" }];
/** Asks for a colour, then proposes a specification until it is accepted. */
const asksAndProposes = ({ view: { messages } }: RecordedRequest) => {
  const said = messages.flatMap(({ text, results }) => [text, ...results.map((one) => one.text)]);
  const all = said.join("\n");
  if (!/The user answered/.test(all)) return interview({ op: "ask", question: "Which colour?", options: COLOURS });
  if (/accepted the specification/.test(all)) return turn.text("Written.");
  if (/rejected the specification/.test(all)) return turn.text("Rejected.");
  return interview({
    op: "spec",
    title: "A wall",
    text: `## Goal\nA wall. Version ${all.match(/wants changes/g)?.length ?? 0}.`,
  });
};
const WISH = "/skill:deep-interview a wall";

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

describe("G-101 an interview where nobody can be asked, and at a terminal", () => {
  it("G-101 in print mode each question ends the run, and the next message is the answer", async () => {
    scene = await stage(asksAndProposes as never);
    const first = await scene.run(["-p", WISH]);
    expect(first).toMatchObject({ code: 6, stdout: expect.stringContaining("Which colour?\n  1. red\n  2. blue") });
    const status = async (): Promise<string> => (await scene.box.run(["workflow", "status"])).stdout;
    expect(await status()).toMatch(
      /^deep-interview: asking\nIt waits for an answer: Which colour\?\nContinue: lathe --resume /,
    );
    const asks = 'lathe: The workflow deep-interview asks: Which colour? Answer it with: lathe -c "<answer>"\n';
    expect(first.stderr).toBe(asks);
    // Without a message it is the same question, and nothing was sent.
    expect(await scene.run(["-c", "-p"])).toEqual({ ...first, stderr: asks });
    expect(scene.server.requests).toHaveLength(1);
    const where = await scene.run(["-c", "-p", "/workflow"]);
    expect(where).toMatchObject({ code: 0, stdout: "" });
    expect(where.stderr).toMatch(
      /^lathe: Workflow deep-interview: asking\nIt waits for your answer:\n[\s\S]*Which colour\?\n {2}1\. red\n {2}2\. blue\n\nAnswer with a number or in your own words/,
    );
    const second = await scene.run(["-c", "-p", "2"]);
    expect(second).toMatchObject({ code: 6, stdout: expect.stringContaining("## Goal") });
    expect(scene.server.requests.at(-1)?.text).toContain("The user answered: blue");
    expect(await scene.run(["-c", "-p", "approve"])).toMatchObject({ code: 0, stdout: "Written.\n" });
    expect(spec()).toContain("A wall");
    expect(await status()).toBe("deep-interview: accepted (ended)\n");
  });

  it("G-10 a message chooses several options by their numbers, and one whose label is a number by its label", async () => {
    const asks = [
      { question: "Which ones?", options: COLOURS, multi: true },
      { question: "How many?", options: [{ label: "2" }, { label: "1" }] },
    ];
    let asked = 0;
    scene = await stage((() => interview({ op: "ask", ...asks[Math.min(asked++, 1)] })) as never);
    await scene.run(["-p", WISH]);
    await scene.run(["-c", "-p", "2, 1"]);
    expect(scene.server.requests.at(-1)?.text).toContain("The user answered: blue, red");
    await scene.run(["-c", "-p", "1"]);
    expect(scene.server.requests.at(-1)?.text).toMatch(/The user answered: 1(?!\d)/);
  });

  it("G-10 G-101 a model that stops in the middle of a workflow does not end the run as done", async () => {
    scene = await stage([turn.text("Well."), turn.text("Hm.")]);
    const line = 'The workflow deep-interview is not finished: it is at asking. Go on with: lathe -c "<message>".';
    expect(await scene.run(["-p", WISH])).toMatchObject({
      code: 6,
      stdout: "Well.\n",
      stderr: expect.stringContaining(line),
    });
    const json = await scene.run(["-c", "--mode", "json", "go on"]);
    expect(json.code).toBe(6);
    expect(JSON.parse(json.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      status: "question",
      exitCode: 6,
      text: "Hm.",
      error: expect.stringContaining(line),
    });
    expect(await scene.run(["-c", "-p", "/workflow stop"])).toMatchObject({ code: 0 });
  });

  it("G-105 a second workflow, one without a wish and a state of another version are refused by name; stop ends them", async () => {
    scene = await stage(asksAndProposes as never);
    expect(await scene.run(["-p", "/skill:deep-interview"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Say what it is about"),
    });
    await scene.run(["-p", WISH]);
    const again = await scene.run(["-c", "-p", "/skill:deep-interview a roof"]);
    expect(again).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "The workflow deep-interview is at asking. Finish it, or end it with /workflow stop.",
      ),
    });
    // As a later version would write it.
    const lines = readFileSync(sessionFile(), "utf8").trimEnd().split("\n");
    const later = lines.map((line) => {
      const { "~": _sum, ...value } = JSON.parse(line);
      if (value.customType === "lathe:workflow") value.data.version = 9;
      return encodeLine(value);
    });
    writeFileSync(sessionFile(), Buffer.concat(later));
    const newer = await scene.run(["-c", "-p", "blue"]);
    expect(newer.code).not.toBe(0);
    expect(newer.stderr).toContain("version 9 of the workflow deep-interview; this Lathe knows version 1");
    expect(await scene.box.run(["workflow", "status"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("version 9"),
    });
    const rpc = open("-c");
    expect(await rpc.ask("prompt", { message: "/workflow stop" })).toMatchObject({ success: true });
    expect(await rpc.ask("prompt", { message: "hello" })).toMatchObject({ success: true });
    expect(await rpc.data("get_state")).toMatchObject({ workflow: { state: "stopped" } });
    await rpc.end();
  });

  it("G-100 a skill of the project with the same name is used instead, and is only a text", async () => {
    scene = await stage([turn.text("Mine.")]);
    const folder = join(scene.box.dir, ".lathe/skills/deep-interview");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "SKILL.md"), "---\nname: deep-interview\ndescription: ours\n---\nOur own way.\n");
    expect(await scene.run(["-p", WISH])).toMatchObject({ code: 0, stdout: "Mine.\n" });
    expect(scene.server.requests[0]?.text).toContain("Our own way.");
    expect(scene.server.requests[0]?.text).not.toContain('"interview"');
  });

  it("G-100 G-109 the template of examples, copied to the project, is a skill, and its script names what a report lacks", async () => {
    scene = await stage([turn.text("Begun.")]);
    const folder = join(scene.box.dir, ".lathe/skills/lathe-dogfood");
    cpSync(new URL("../../../examples/skills/lathe-dogfood", import.meta.url), folder, { recursive: true });
    expect(await scene.run(["-p", "/skill:lathe-dogfood issue 7"])).toMatchObject({ code: 0, stdout: "Begun.\n" });
    expect(scene.server.requests[0]?.text).toContain("Give the first message the issue");
    const check = (report: string): string => {
      writeFileSync(join(folder, "report.md"), report);
      return spawnSync("sh", [join(folder, "check-report.sh"), join(folder, "report.md")], { encoding: "utf8" }).stdout;
    };
    const whole = ["Issue", "Session", "Command", "Prompt accepted", "Git", "Checks", "Result", "Gaps"];
    expect(check(whole.map((heading) => `## ${heading}\nyes\n`).join("\n"))).toBe("");
    expect(check("# Issue\n## Checks\n")).toBe(
      ["Session", "Command", "Prompt accepted", "Git", "Result", "Gaps"].map((one) => `missing: ${one}\n`).join(""),
    );
  });

  it("G-105 two sessions of one folder in the same workflow at once see nothing of each other", async () => {
    scene = await stage(asksAndProposes as never);
    const [left, right] = [open(), open()];
    for (const rpc of [left, right]) rpc.send({ type: "prompt", message: WISH });
    const [first, second] = [await gateFrame(left, 1), await gateFrame(right, 1)];
    expect(first["gate_id"]).not.toBe(second["gate_id"]);
    expect(await respond(right, first, "red")).toMatchObject({ error: { code: "unknown_gate" } });
    await respond(left, first, "red");
    await respond(left, await gateFrame(left, 2), "approve");
    await left.event("agent_end");
    expect(await left.data("get_state")).toMatchObject({ workflow: { state: "accepted" } });
    expect(await right.data("get_state")).toMatchObject({ workflow: { state: "asking", gate: second } });
    expect(await left.finish()).toBe(0);
    await right.end();
  });

  it("G-105 the workflows are listed and shown, and a wrong name has a hint", async () => {
    scene = await stage([]);
    expect((await scene.box.run(["workflow", "list"])).stdout).toContain("/skill:deep-interview <what you want>");
    expect((await scene.box.run(["workflow", "show", "deep-interview"])).stdout).toMatch(
      /asking -> review[\s\S]*Turn the wish below/,
    );
    const shown = JSON.parse((await scene.box.run(["workflow", "show", "ralplan", "--json"])).stdout);
    expect(shown).toMatchObject({
      workflow: {
        name: "ralplan",
        version: 1,
        moves: expect.arrayContaining([expect.objectContaining({ to: "accepted" })]),
      },
      text: expect.stringContaining("ralplan"),
    });
    expect(await scene.box.run(["workflow", "show", "deep-interviev"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean deep-interview?"),
    });
  });
});
