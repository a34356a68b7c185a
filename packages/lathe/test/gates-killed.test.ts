// The command is killed by SIGKILL at the lines of its journal while a workflow runs over RPC: the outcome is the same,
// no confirmed answer is lost, and no answered question is asked again (G-10, G-101 to G-103, G-105).

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RecordedRequest, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";
import { lensOf } from "./review-kit.ts";
import { type Frame, RpcHost } from "./rpc-host.ts";

const PRELOAD = `--require ${fileURLToPath(new URL("./die-at-line.cjs", import.meta.url))}`;
const isLong = process.env["LATHE_LONG"] !== undefined;

const QUESTIONS = ["Which colour?", "How high?", "How long?"];
const ANSWERS: Readonly<Record<string, unknown>> = {
  "Which colour?": { selected: ["red"] },
  "How high?": "2 m",
  "How long?": "9 m",
};
const saidIn = ({ view: { messages } }: RecordedRequest): string =>
  messages.flatMap(({ text, results }) => [text, ...results.map((one) => one.text)]).join("\n");
const call = (name: string, args: object) => turn.calls([{ name, args: args as never }]);

function interview(request: RecordedRequest) {
  const said = saidIn(request);
  if (/accepted the specification/.test(said)) return turn.text("Written.");
  const next = QUESTIONS[said.match(/The user answered/g)?.length ?? 0];
  if (next === undefined) return call("interview", { op: "spec", title: "A wall", text: "A wall." });
  const options = next === "Which colour?" ? { options: [{ label: "red" }] } : {};
  return call("interview", { op: "ask", question: next, ...options });
}

/** The critic objects to the first plan. */
function planning(request: RecordedRequest) {
  const name = lensOf(request).toLowerCase();
  const hand = (value: object) => call("yield", { output: JSON.stringify(value) });
  if (name.startsWith("planner")) {
    const plan = /too high/.test(request.text) ? "Build it lower." : "Build it high.";
    return hand({ title: "A wall", plan, adr: "Stone.", claims: [] });
  }
  if (name !== "") {
    const isHigh = name.startsWith("critic") && /Build it high/.test(request.text);
    const verdict = isHigh ? "request-changes" : "approve";
    return hand({ verdict, reason: isHigh ? "It is too high." : "Checked.", evidence: [] });
  }
  if (/the user approved the plan/.test(saidIn(request))) return turn.text("Planned.");
  return call("ralplan", { task: "Plan a wall." });
}

const part = (name: string) => ({ text: `${name} is there`, until: `test -f ${name}.txt` });
const GOAL = { text: "Two files", until: "test -f a.txt && test -f b.txt", parts: ["a", "b"].map(part) };

/** Works on what is not there yet, and proves part by part. */
function goal(request: RecordedRequest, folder: string) {
  const said = saidIn(request);
  if (!/signed the goal off/.test(said)) return call("ultragoal", GOAL);
  if (!existsSync(join(folder, "b.txt"))) return call("shell", { command: "touch a.txt b.txt" });
  const proven = request.view.messages
    .flatMap(({ results }) => results.map(({ text }) => text))
    // Also in the refusal to prove a part twice, after a kill between the proof and its result.
    .findLast((text) => text.includes("1. [x]"));
  const done = proven?.match(/\[x\]/g)?.length ?? 0;
  return done < GOAL.parts.length ? call("sub_goal", { op: "done", number: done + 1 }) : turn.text("All done.");
}

interface Kind {
  readonly wish: string;
  readonly script: (request: RecordedRequest, folder: string) => ReturnType<typeof turn.text>;
  readonly args?: readonly string[];
  /** Gates that are answered in one run. */
  readonly gates: number;
  readonly files: Readonly<Record<string, string>>;
  readonly end: object;
  /** In the short form: lines from one kill to the next. */
  readonly step: number;
  /** In the short form. */
  readonly kills: number;
}
const KINDS: Readonly<Record<string, Kind>> = {
  interview: {
    wish: "/skill:deep-interview a wall",
    script: interview,
    gates: 4,
    files: { specs: "# A wall\n\nA wall.\n" },
    end: { state: "accepted", data: { asked: QUESTIONS.map((question) => ({ question })) } },
    step: 15,
    kills: 3,
  },
  planning: {
    wish: "/skill:ralplan a wall",
    script: planning,
    gates: 1,
    files: { plans: "# A wall\n\nBuild it lower.\n", adr: "# A wall\n\nStone.\n" },
    end: { state: "accepted", data: { round: 2 } },
    step: 27,
    kills: 2,
  },
  goal: {
    wish: "/skill:ultragoal two files",
    script: goal,
    args: ["--permission-mode", "full"],
    gates: 1,
    files: {},
    end: { state: "done" },
    step: 17,
    kills: 2,
  },
};

/** Answers what is asked until the work has ended or the process is gone; true: it has ended. */
async function drive(rpc: RpcHost, confirmed: Set<string>): Promise<boolean> {
  let from = 0;
  const isEnd = (frame: Frame): boolean =>
    frame.type === "event" && (frame["payload"] as { event_type: string }).event_type === "agent_end";
  for (;;) {
    const at = from;
    const frame = await rpc
      .wait("a gate or the end", (one) => one.type === "workflow_gate" || isEnd(one), at)
      .catch(() => undefined);
    if (!frame) return false;
    if (isEnd(frame)) return true;
    from = rpc.frames.indexOf(frame) + 1;
    const { title } = frame["context"] as { title: string };
    expect(confirmed.has(title), `${title} was answered and is asked again`).toBe(false);
    const answer = ANSWERS[title] ?? "approve";
    const reply = await rpc.ask("workflow_gate_response", { gate_id: frame["gate_id"], answer }).catch(() => undefined);
    if (!reply) return false;
    expect(reply).toMatchObject({ data: { status: "accepted" } });
    confirmed.add(title);
  }
}

/** False: the work ended before that line. */
async function killedAt(scene: Stage, { wish, args: more = [] }: Kind, line: number): Promise<boolean> {
  const args = [...scene.args, ...more, "--mode", "rpc"];
  const env = { ...scene.env, NODE_OPTIONS: PRELOAD, DIE_LINE: String(line) };
  const confirmed = new Set<string>();
  const first = new RpcHost(scene.box.start(args, env));
  first.send({ type: "prompt", message: wish });
  const isDone = await drive(first, confirmed);
  if (isDone) {
    await first.end();
    return false;
  }
  const second = new RpcHost(scene.box.open([...args, "-c"], scene.env));
  const { unfinishedInput } = await second.data("get_state");
  if (unfinishedInput === true) second.send({ type: "continue" });
  else second.send({ type: "prompt", message: confirmed.size === 0 ? wish : "go on" });
  expect(await drive(second, confirmed)).toBe(true);
  expect(await second.finish()).toBe(0);
  return true;
}

function judge({ box }: Stage, { files, end, gates }: Kind): void {
  for (const [folder, text] of Object.entries(files)) {
    const path = join(box.dir, ".lathe", folder);
    expect(existsSync(path), folder).toBe(true);
    expect(readdirSync(path).map((name) => readFileSync(join(path, name), "utf8"))).toEqual([text]);
  }
  const sessions = join(box.home, ".lathe/sessions");
  const lines = readdirSync(sessions, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(sessions, name), "utf8").trim().split("\n"))
    .map((text) => JSON.parse(text));
  expect(lines.findLast(({ customType }) => customType === "lathe:workflow").data).toMatchObject(end);
  const answered = lines.filter(
    ({ customType, data }) => customType === "lathe:gate_answer" && data.status === "accepted",
  );
  expect(new Set(answered.map(({ data }) => data.gate_id)).size).toBe(gates);
  expect(answered.length).toBe(gates);
  expect(lines.findLast(({ customType }) => customType === "goal")?.data.state ?? "met").toBe("met");
}

it.each(Object.keys(KINDS))(
  "G-10 G-101 G-102 G-103 G-105 of a killed %s: the same end, no answer lost, none asked for twice",
  async (name) => {
    const kind = KINDS[name] as Kind;
    // Before that line there is no session that could be continued.
    let kills = 0;
    for (let line = isLong ? 3 : 9; isLong || kills < kind.kills; line += isLong ? 1 : kind.step) {
      let folder = "";
      const scene = await stage((request: RecordedRequest) => kind.script(request, folder));
      folder = scene.box.dir;
      try {
        if (!(await killedAt(scene, kind, line))) break;
        kills += 1;
        judge(scene, kind);
      } catch (error) {
        throw new Error(`killed before line ${line}`, { cause: error });
      } finally {
        await scene.close();
      }
    }
    expect(kills).toBeGreaterThanOrEqual(isLong ? 26 : kind.kills);
  },
  isLong ? 1_800_000 : 170_000,
);
