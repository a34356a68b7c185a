// ralplan: a planner, an architect and a critic until both agree, then the user at a gate (G-102, G-99).

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type RecordedRequest, type Turn, turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";
import { lensOf } from "./review-kit.ts";
import { type Frame, RpcHost } from "./rpc-host.ts";

let scene: Stage;
afterEach(() => scene.close());

const CLAIM = {
  claim: "the wall stands",
  confidence: "medium",
  unknowns: [],
  evidenceNeeded: [],
  counterexampleQueries: [],
  sourceConflictPolicy: "the code",
  dropCondition: "it falls",
  verifierChecks: [],
};
const evidence = (verdict: string) => ({ claim: CLAIM.claim, source: "a.txt:1", confidence: "high", verdict });
const yielded = (value: object): Turn => turn.calls([{ name: "yield", args: { output: JSON.stringify(value) } }]);
const draft = (version: string): Turn =>
  yielded({ title: "A wall", plan: `## Steps\nBuild ${version}.`, adr: "## Decision\nStone.", claims: [CLAIM] });
const approve = (...found: object[]): Turn => yielded({ verdict: "approve", reason: "Checked.", evidence: found });

interface Roles {
  planner?(request: RecordedRequest): Turn;
  architect?(request: RecordedRequest): Turn;
  critic?(request: RecordedRequest): Turn;
}
/** Answers as the agent that a request is from, else as the session's model. */
const script =
  (roles: Roles) =>
  (request: RecordedRequest): Turn => {
    const name = lensOf(request).toLowerCase();
    if (name.startsWith("planner")) return roles.planner?.(request) ?? draft("it");
    if (name.startsWith("architect")) return roles.architect?.(request) ?? approve(evidence("support"));
    if (name.startsWith("critic")) return roles.critic?.(request) ?? approve();
    const said = request.view.messages
      .flatMap(({ text, results }) => [text, ...results.map((one) => one.text)])
      .join("\n");
    if (/the user approved the plan/.test(said)) return turn.text("Planned.");
    if (/rejected the plan|did not agree/.test(said)) return turn.text("Not planned.");
    if (/The user wants changes/.test(said)) return turn.calls([{ name: "ralplan", args: {} }]);
    return turn.calls([{ name: "ralplan", args: { task: "Plan a wall of stone." } }]);
  };

async function begin(roles: Roles = {}): Promise<RpcHost> {
  scene = await stage(script(roles));
  const rpc = new RpcHost(scene.box.open([...scene.args, "--mode", "rpc"], scene.env));
  rpc.send({ type: "prompt", message: "/skill:ralplan a wall" });
  return rpc;
}
const gateFrame = (rpc: RpcHost, number: number): Promise<Frame> =>
  rpc.wait(
    `gate ${number}`,
    ({ type, gate_id }) => type === "workflow_gate" && String(gate_id).endsWith(`00000${number}`),
  );
const respond = (rpc: RpcHost, gate: Frame, answer: unknown): Promise<Frame> =>
  rpc.ask("workflow_gate_response", { gate_id: gate["gate_id"], answer });
const roles = (): string[] =>
  scene.server.requests
    .map((request) =>
      lensOf(request)
        .toLowerCase()
        .replace(/\W?\d+$/, ""),
    )
    .filter((name) => name !== "");
const written = (folder: string): string => {
  const path = join(scene.box.dir, ".lathe", folder);
  return existsSync(path)
    ? readdirSync(path)
        .map((name) => readFileSync(join(path, name), "utf8"))
        .join("")
    : "";
};

it("G-102 a critic's objection makes another plan; the gate opens when both agree; plan and decision are files", async () => {
  let times = 0;
  const rpc = await begin({
    planner: ({ text }) => draft(/too high/.test(text) ? "it lower" : "it high"),
    critic: () =>
      ++times === 1 ? yielded({ verdict: "request-changes", reason: "It is too high.", evidence: [] }) : approve(),
  });
  const gate = await gateFrame(rpc, 1);
  expect(gate).toMatchObject({ stage: "ralplan", kind: "approval", context: { stage_state: "approval, plan 2" } });
  expect((gate["context"] as { prompt: string }).prompt).toMatch(
    /Build it lower\.[\s\S]*accepted: the wall stands \(a\.txt:1\)[\s\S]*Stone/,
  );
  expect(roles().filter((name) => name === "planner")).toHaveLength(2);
  expect(written("plans")).toBe("");
  expect(await respond(rpc, gate, "maybe")).toMatchObject({ data: { status: "rejected" } });
  await respond(rpc, gate, "approve");
  await rpc.event("agent_end");
  expect(written("plans")).toContain("Build it lower.");
  expect(written("adr")).toContain("## Decision\nStone.");
  expect(await rpc.data("get_last_assistant_text")).toEqual({ text: "Planned." });
  expect(await rpc.finish()).toBe(0);
});

it("G-102 request-changes goes back to the planner with the user's words; reject ends it without files", async () => {
  const rpc = await begin({ planner: ({ text }) => draft(/use brick/.test(text) ? "it of brick" : "it") });
  await respond(rpc, await gateFrame(rpc, 1), { decision: "request-changes", feedback: "use brick" });
  const second = await gateFrame(rpc, 2);
  expect((second["context"] as { prompt: string }).prompt).toContain("Build it of brick.");
  await respond(rpc, second, "reject");
  await rpc.event("agent_end");
  expect([written("plans"), written("adr")]).toEqual(["", ""]);
  expect(await rpc.data("get_state")).toMatchObject({ workflow: { name: "ralplan", state: "rejected" } });
  expect(await rpc.finish()).toBe(0);
});

it("G-99 G-102 a claim that credible evidence contradicts opens no gate; without agreement it ends and says why", async () => {
  const rpc = await begin({ architect: () => approve(evidence("contradict"), evidence("support")) });
  await rpc.event("agent_end");
  expect(rpc.frames.some(({ type }) => type === "workflow_gate")).toBe(false);
  expect(roles().filter((name) => name === "planner")).toHaveLength(5);
  expect(scene.server.requests.at(-1)?.text).toContain(
    'The claim \\"the wall stands\\" does not hold. Contradicted by a.txt:1.',
  );
  expect(await rpc.data("get_state")).toMatchObject({ workflow: { state: "disagreed" } });
  expect(await rpc.finish()).toBe(0);
});

it("G-102 in print mode the gate ends each run; words send the plan back, a number approves it", async () => {
  scene = await stage(script({ planner: ({ text }) => draft(/use brick/.test(text) ? "it of brick" : "it") }));
  const first = await scene.run(["-p", "/skill:ralplan a wall"]);
  expect(first).toMatchObject({
    code: 6,
    stdout: expect.stringMatching(/Build it\.[\s\S]*Carry out the plan "A wall"\?\n {2}1\. Approve it/),
    stderr: 'lathe: The workflow ralplan asks: Carry out the plan "A wall"? Answer it with: lathe -c "<answer>"\n',
  });
  const second = await scene.run(["-c", "-p", "use brick"]);
  expect(second).toMatchObject({ code: 6, stdout: expect.stringContaining("Build it of brick.") });
  expect([written("plans"), written("adr")]).toEqual(["", ""]);
  expect(await scene.run(["-c", "-p", "1"])).toEqual({ code: 0, stdout: "Planned.\n", stderr: "" });
  expect(written("plans")).toContain("Build it of brick.");
  expect(written("adr")).toContain("## Decision\nStone.");
});

it("G-102 in print mode agents that never agree end it as disagreed, which is an end", async () => {
  scene = await stage(script({ critic: () => yielded({ verdict: "request-changes", reason: "No.", evidence: [] }) }));
  expect(await scene.run(["-p", "/skill:ralplan a wall"])).toMatchObject({ code: 0, stdout: "Not planned.\n" });
  expect((await scene.box.run(["workflow", "status"])).stdout).toBe("ralplan: disagreed (ended)\n");
});
