// An interview at a terminal: its questions are dialogs like any other, and the status line shows its progress (G-10,
// G-101, G-105).

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gate, type RecordedRequest, turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { lensOf } from "../review-kit.ts";
import { RpcHost } from "../rpc-host.ts";
import { SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

const interview = (args: object) => turn.calls([{ name: "interview", args: args as never }]);
const spec = (): string => {
  const folder = join(bench.box.dir, ".lathe/specs");
  return existsSync(folder) ? readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8") : "";
};

const sessionFile = (): string => {
  const sessions = join(bench.box.home, ".lathe/sessions");
  const names = readdirSync(sessions, { recursive: true, encoding: "utf8" });
  return join(sessions, names.find((name) => name.endsWith(".jsonl")) ?? "");
};
const asksThenProposes = () =>
  bench.server.push(
    interview({ op: "ask", question: "Which colour?", options: [{ label: "red" }, { label: "blue" }] }),
    interview({ op: "spec", title: "A wall", text: "A blue wall." }),
    turn.text("All written."),
  );

it.each([
  ["screen", SONNET],
  ["plain", [...SONNET, "--plain"]],
] as const)("G-10 G-101 G-105 an interview in the mode %s, from the wish to the file", async (mode, args) => {
  bench.server.push(
    interview({
      op: "ask",
      question: "Which colour?",
      options: [{ label: "red" }, { label: "blue", description: "like the sea" }],
    }),
    interview({ op: "spec", title: "A wall", text: "A blue wall." }),
    turn.text("All written."),
  );
  const run = await bench.open(args);
  run.type(`/skill:deep-interview a wall${KEY.enter}`);
  await run.see(mode === "plain" ? /like the sea[\s\S]*Which colour\?/ : /Which colour\?[\s\S]*like the sea/);
  await run.see(mode === "plain" ? /own words/ : /Esc to stop/);
  if (mode === "screen") await run.see("deep-interview: asking");
  run.type(`2${KEY.enter}`);
  // What is to be accepted is shown.
  await run.see(/Accept the specification "A wall"\?/);
  await run.see("A blue wall.");
  expect(bench.server.requests.at(-1)?.text).toContain("The user answered: blue");
  await run.see(mode === "plain" ? /Reject it[\s\S]*own words/ : /Reject it[\s\S]*Esc to stop/);
  run.type(`1${KEY.enter}`);
  await run.see("All written.");
  expect(spec()).toBe("# A wall\n\nA blue wall.\n");
  run.type(`/workflow${KEY.enter}`);
  await run.see("Workflow deep-interview: accepted (ended)");
});

it("G-10 after Esc at a gate it is said that the question stays open, and the next message is its answer", async () => {
  asksThenProposes();
  const run = await bench.open(SONNET);
  run.type(`/skill:deep-interview a wall${KEY.enter}`);
  await run.see(/Which colour\?[\s\S]*Esc to stop/);
  run.type(`2${KEY.enter}`);
  await run.see(/Accept the specification[\s\S]*Esc to stop/);
  run.type(KEY.escape);
  await run.see("The question stays open: Accept the specification");
  run.type(`approve${KEY.enter}`);
  await run.see("All written.");
  expect(spec()).toBe("# A wall\n\nA blue wall.\n");
});

it("G-10 another door answers while words are typed: it is said who did, the words are kept, and no Enter accepts what comes next", async () => {
  asksThenProposes();
  const run = await bench.open(SONNET, { rows: 40 });
  run.type(`/serve${KEY.enter}`);
  await run.see(/lathe attach \w{8}/);
  const id = /lathe attach (\w{8})/.exec(run.all.join("\n"))?.[1] ?? "";
  run.type(`/skill:deep-interview a wall${KEY.enter}`);
  await run.see(/Which colour\?[\s\S]*Esc to stop/);
  // A session has its file from its first message on.
  const other = new RpcHost(bench.box.open(["--mode", "rpc", "--resume", id], bench.env));
  const { gate_id } = await other.wait("the gate", ({ type }) => type === "workflow_gate");
  run.type(`${KEY.up}${KEY.enter}`);
  await run.see("Your answer");
  run.type("rather wh");
  await run.see("rather wh");
  await other.data("workflow_gate_response", { gate_id, answer: "blue" });
  await run.see(/Answered by program \d+\.[\s\S]*❯ rather wh/);
  run.type("ite");
  await run.see(/Accept the specification[\s\S]*Tab to answer/);
  await run.see("❯ rather white");
  run.type(KEY.enter);
  run.type(KEY.tab);
  await run.see(/Accept the specification[\s\S]*Esc to stop/);
  expect(spec()).toBe("");
  await other.end();
});

it("G-10 G-101 a session that was killed at an open question asks it again at once, and calls nothing skipped", async () => {
  asksThenProposes();
  const first = await bench.open(SONNET);
  first.type(`/skill:deep-interview a wall${KEY.enter}`);
  await first.see(/Which colour\?[\s\S]*Esc to stop/);
  const file = sessionFile();
  const atKill = readFileSync(file);
  await first.close();
  writeFileSync(file, atKill);
  const second = bench.start([...SONNET, "-c"]);
  await second.see(/Which colour\?[\s\S]*Esc to stop/);
  expect(second.all.join("\n")).not.toContain("skipped");
  second.type(`2${KEY.enter}`);
  await second.see(/Accept the specification[\s\S]*Esc to stop/);
  expect(bench.server.requests.at(-1)?.text).toContain("The user answered: blue");
});

it("G-10 N1 /goal shows the goal while a question is on the screen, and after Esc has left it open", async () => {
  asksThenProposes();
  const run = await bench.open(SONNET);
  run.type(`/skill:deep-interview a wall${KEY.enter}`);
  await run.see(/Which colour\?[\s\S]*Esc to stop/);
  run.type(`/goal${KEY.enter}`);
  await run.see("This session has no goal.");
  run.type(`${KEY.tab}${KEY.escape}`);
  await run.see("The question stays open: Which colour?");
  run.type(`/goal stop${KEY.enter}`);
  await run.see("There is no goal to stop.");
  run.type(`blue${KEY.enter}`);
  await run.see(/Accept the specification[\s\S]*Esc to stop/);
  expect(bench.server.requests.at(-1)?.text).toContain("The user answered: blue");
});

it.each([
  ["screen", SONNET],
  ["plain", [...SONNET, "--plain"]],
] as const)(
  "G-10 G-101 a session that was left at an open question in the mode %s shows it before anything is its answer",
  async (mode, args) => {
    const isPlain = mode === "plain";
    asksThenProposes();
    expect((await bench.box.run([...SONNET, "-p", "/skill:deep-interview a wall"], { env: bench.env })).code).toBe(6);
    const first = bench.start([...args, "-c"]);
    await first.see(isPlain ? /Which colour\?[\s\S]*own words: / : /Which colour\?[\s\S]*Esc to stop/);
    first.type(isPlain ? KEY.enter : KEY.escape);
    await first.see("The question stays open: Which colour?");
    first.type(`/quit${KEY.enter}`);
    expect(await first.exited).toBe(0);
    const second = bench.start([...args, "-c"]);
    await second.see(isPlain ? /Which colour\?[\s\S]*own words: / : /Which colour\?[\s\S]*Esc to stop/);
    expect(bench.server.requests).toHaveLength(1);
    second.type(`2${KEY.enter}`);
    await second.see("Accept the specification");
    expect(bench.server.requests[1]?.text).toContain("The user answered: blue");
  },
);

it("G-10 in lines, a number that is no option is asked about again, and /workflow shows the question", async () => {
  asksThenProposes();
  const run = await bench.open([...SONNET, "--plain"]);
  run.type(`/skill:deep-interview a wall${KEY.enter}`);
  await run.see(/Which colour\?[\s\S]*own words/);
  run.type(`/workflow${KEY.enter}`);
  await run.see(/It waits for your answer:[\s\S]*Which colour\?[\s\S]*To end it: \/workflow stop/);
  run.type(`7${KEY.enter}`);
  await run.see("There is no option 7. Give a number from 1 to 2, or an answer in words.");
  run.type(`2${KEY.enter}`);
  await run.see("Accept the specification");
  expect(bench.server.requests.at(-1)?.text).toContain("The user answered: blue");
});

it("G-10 control characters of a question are shown and not obeyed, also in print mode at a terminal", async () => {
  const asks = interview({ op: "ask", question: "Which \u001b[31mcolour\u0007?", options: [{ label: "r\u009b5med" }] });
  bench.server.push(asks, asks);
  const print = bench.start([...SONNET, "-p", "/skill:deep-interview a wall"]);
  await print.see(/Which \\x1b\[31mcolour\\x07\?\s+1\. r\\x9b5med/);
  const run = await bench.open(SONNET);
  run.type(`/skill:deep-interview a wall${KEY.enter}`);
  await run.see(/Which \\x1b\[31mcolour\\x07\?[\s\S]*r\\x9b5med/);
});

const call = (name: string, args: object) => turn.calls([{ name, args: args as never }]);
const saidIn = ({ view: { messages } }: RecordedRequest): string =>
  messages.flatMap(({ text, results }) => [text, ...results.map((one) => one.text)]).join("\n");

it("G-102 at a terminal agents are seen at work, the plan is shown, words send it back and a key approves it", async () => {
  const planning = (request: RecordedRequest) => {
    const name = lensOf(request).toLowerCase();
    const hand = (value: object) => call("yield", { output: JSON.stringify(value) });
    const plan = /use brick/.test(request.text) ? "Build it of brick." : "Build it of wood.";
    if (name.startsWith("planner")) return hand({ title: "A wall", plan, adr: "It lasts.", claims: [] });
    if (name !== "") return hand({ verdict: "approve", reason: "Checked.", evidence: [] });
    if (/the user approved the plan/.test(saidIn(request))) return turn.text("Planned.");
    return call("ralplan", { task: "Plan a wall." });
  };
  await bench.close();
  bench = await TerminalBench.open({ script: planning });
  const run = await bench.open(SONNET);
  run.type(`/skill:ralplan a wall${KEY.enter}`);
  await run.see(/Carry out the plan "A wall"\?[\s\S]*Build it of wood\.[\s\S]*It lasts\.[\s\S]*Esc to stop/);
  await run.see(/✓ planner[\s\S]*✓ architect[\s\S]*ralplan: approval|✓ planner[\s\S]*✓ critic[\s\S]*ralplan: approval/);
  run.type(`2${KEY.enter}`);
  await run.see(/What should change\?[\s\S]*Enter to send/);
  run.type(`use brick${KEY.enter}`);
  await run.see(/Build it of brick\.[\s\S]*Esc to stop/);
  run.type(`1${KEY.enter}`);
  await run.see("Planned.");
  const plans = join(bench.box.dir, ".lathe/plans");
  expect(readdirSync(plans).map((name) => readFileSync(join(plans, name), "utf8"))).toEqual([
    "# A wall\n\nBuild it of brick.\n",
  ]);
});

it("G-103 at a terminal the parts are signed off with a key, and a killed session goes on with the part that is open", async () => {
  const part = (name: string) => ({ text: `${name} is there`, until: `test -f ${name}.txt` });
  const held = gate();
  const working = (request: RecordedRequest) => {
    const said = saidIn(request);
    const until = "test -f a.txt && test -f b.txt";
    if (!/signed the goal off/.test(said))
      return call("ultragoal", { text: "Two files", until, parts: ["a", "b"].map(part) });
    if (!existsSync(join(bench.box.dir, "b.txt"))) return call("shell", { command: "touch a.txt b.txt" });
    const proven = said.match(/Proven\.[\s\S]*$/)?.[0].match(/\[x\]/g)?.length ?? 0;
    if (proven === 1 && !/go on with it/.test(said)) return turn.text("", { before: held.wait });
    return proven < 2 ? call("sub_goal", { op: "done", number: proven + 1 }) : turn.text("All done.");
  };
  await bench.close();
  bench = await TerminalBench.open({ script: working });
  const full = [...SONNET, "--permission-mode", "full"];
  const first = await bench.open(full);
  first.type(`/skill:ultragoal two files${KEY.enter}`);
  await first.see(/Work on "Two files"\?[\s\S]*2\. b is there[\s\S]*Esc to stop/);
  first.type(`1${KEY.enter}`);
  await first.see("Proved sub-goal a is there");
  await held.reached;
  const file = sessionFile();
  const atKill = readFileSync(file);
  await first.close();
  held.open();
  writeFileSync(file, atKill);
  const second = bench.start([...full, "-c", "go on with it"]);
  await second.see(/Proved sub-goal b is there[\s\S]*All done\.[\s\S]*Verified/);
  expect(second.all.join("\n")).not.toMatch(/Proved sub-goal a is there[\s\S]*Proved sub-goal a is there/);
  const run = await bench.box.run(["workflow", "status"]);
  expect(run.stdout).toBe("ultragoal: done (ended)\n");
});
