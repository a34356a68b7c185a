// Workflows without a host that answers gates: print and JSON mode, versions, lists, skills of the same name (G-100, G-101, G-105).

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeLine } from "@lathe/agent/record";
import { type RecordedRequest, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";
import { asksAndProposes, COLOURS, interview, WISH } from "./gates-kit.ts";
import { type Frame, RpcHost } from "./rpc-host.ts";

let scene: Stage;
afterEach(() => scene?.close());

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
const _journal = (): string => readFileSync(sessionFile(), "utf8");
const spec = (): string => {
  const folder = join(scene.box.dir, ".lathe/specs");
  return existsSync(folder) ? readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8") : "";
};

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
    const bare = await scene.run(["-c", "-p", "2"]);
    expect(bare.stderr).toContain("Say what to change: send the changes in words.");
    expect(await status()).toContain("deep-interview: review");
    expect(await scene.run(["-c", "-p", "approve"])).toMatchObject({ code: 0, stdout: "Written.\n" });
    expect(spec()).toContain("A wall");
    expect(await status()).toBe("deep-interview: accepted (ended)\n");
  });

  it("G-10 G-101 a command is no answer to an open question, and is refused by the question's name", async () => {
    scene = await stage(asksAndProposes as never);
    await scene.run(["-p", WISH]);
    mkdirSync(join(scene.box.dir, ".lathe/commands"), { recursive: true });
    writeFileSync(join(scene.box.dir, ".lathe/commands/mine.md"), "Look at it all.\n");
    for (const line of ["/goal a wall --until true", "/mine"])
      expect(await scene.run(["-c", "-p", line])).toMatchObject({
        code: 2,
        stderr: `lathe: ${line.split(" ")[0]} is no answer to the open question: Which colour? Answer it in words first, or end the workflow with /workflow stop.\n`,
      });
    expect(scene.server.requests).toHaveLength(1);
    expect(await scene.run(["-c", "-p"])).toMatchObject({ code: 6, stdout: expect.stringContaining("Which colour?") });
  });

  it("G-10 N1 commands that only show or stop something work at an open question, and it stays open", async () => {
    scene = await stage(((request: RecordedRequest) =>
      /A wall until/.test(request.text) ? asksAndProposes(request as never) : turn.text("Well.")) as never);
    await scene.run(["-p", "/goal Make a two --until 'grep 2 a.txt'"]);
    expect(await scene.run(["-c", "-p", WISH.replace("a wall", "A wall until")])).toMatchObject({ code: 6 });
    const sent = scene.server.requests.length;
    for (const [line, told] of [
      ["/goal", "Goal: Make a two (in progress)"],
      ["/goal stop", "The goal is cancelled."],
      ["/goal", "Goal: Make a two (cancelled)"],
      ["/memory", "Memory is off"],
    ] as const)
      expect(await scene.run(["-c", "-p", line])).toMatchObject({ code: 0, stderr: expect.stringContaining(told) });
    expect(scene.server.requests).toHaveLength(sent);
    expect(await scene.run(["-c", "-p"])).toMatchObject({ code: 6, stdout: expect.stringContaining("Which colour?") });
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
    const line = 'The workflow deep-interview is not finished: it is at asking. Continue with: lathe -c "<message>".';
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
        "/skill:deep-interview is no answer to the open question: Which colour? Answer it in words first, or end the workflow with /workflow stop.",
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
