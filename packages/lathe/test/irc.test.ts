// Messages between agents, with the command itself: killed between writing a message and delivering it, and in every
// model family.

import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RecordedRequest, type Script, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";

let scene: Stage;
afterEach(() => scene.close());

const dieAt = { NODE_OPTIONS: `--require ${fileURLToPath(new URL("./die-at.cjs", import.meta.url))}` };
const full = ["--permission-mode", "full"];
const isChild = ({ view }: RecordedRequest) => view.tools.includes("yield");
const call = (name: string, args: object, id: string) => turn.calls([{ name, args: args as never, id }]);
const tasks = [{ id: "A", assignment: "Look." }];

/** Main starts A, asks it when it has ended, and prints the result of that call. */
const play: Script = (request) => {
  const { messages } = request.view;
  const said = JSON.stringify(messages);
  if (isChild(request)) {
    const isAsked = said.includes("Which port?");
    if (isAsked && !said.includes("It is 80."))
      return call("irc", { op: "send", to: "Main", message: "It is 80." }, "c");
    return call("yield", { output: "looked" }, isAsked ? "y2" : "y1");
  }
  const answers = messages.filter(({ role }) => role === "assistant").length;
  if (answers === 0) return call("task", { agent: "explore", context: "The goal.", tasks }, "t");
  if (answers === 1) return call("irc", { op: "send", to: "A", message: "Which port?", await: true }, "m");
  return turn.text(request.result("m") ?? "no result");
};

function childJournal(): string {
  const root = join(scene.box.env["LATHE_HOME"] ?? "", "sessions");
  const name = readdirSync(root, { recursive: true }).find((path) => String(path).endsWith("/A.jsonl"));
  return readFileSync(join(root, String(name)), "utf8");
}

describe("a process that is killed between a message and its delivery", () => {
  it.each([
    ["before the message is written", '"kind":"irc","data":{"state":"sent"', "revived"],
    ["before its recipient has it", '"kind":"queue"', "revived"],
    ["before that is noted", '"state":"delivered"', "revived"],
    ["before the call that has taken the answer has its result", '"toolCallId":"m"', "injected"],
    ["before its recipient's model reads it", '"origin":"input","source"', "revived"],
  ])(
    "T-IRC-1 %s: the run that goes on gets the answer, and the message is read once",
    async (_when, where, outcome) => {
      scene = await stage(play);
      const child = scene.box.start([...scene.args, ...full, "go"], { ...scene.env, ...dieAt, DIE_BEFORE: where });
      child.stdin.end();
      await once(child, "close");
      expect(child.signalCode).toBe("SIGKILL");
      const { code, stdout } = await scene.run([...full, "-c"]);
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(new RegExp(`^A: ${outcome} \\[\\d+\\]\n\\[\\d+\\] A: It is 80\\.`)),
      ]);
      const read = childJournal()
        .split("\n")
        .filter((line) => line.startsWith('{"type":"message"') && line.includes("Which port?"));
      expect(read).toHaveLength(1);
      expect(read[0]).toContain('"type":"irc:incoming"');
    },
  );
});

describe("agents of the product", () => {
  it("T-IRC-1 SA-02 T-TODO-1 T-HID-1 G-79 every agent has irc and the roster, none has the session's todo list or its plan", async () => {
    scene = await stage(play);
    const { code, stdout } = await scene.run([...full, "go"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^A: woken \[\d+\]\n\[\d+\] A: It is 80\./)]);
    const [main] = scene.server.requests;
    const child = scene.server.requests.find(isChild)!;
    expect(main!.view.tools).toEqual(expect.arrayContaining(["task", "irc", "todo"]));
    expect(child.view.tools).toEqual(expect.arrayContaining(["irc", "yield", "report_finding"]));
    for (const name of ["todo", "exit_plan_mode"]) expect(child.view.tools).not.toContain(name);
    expect(child.text).toContain("# Agents you can reach");
    expect(child.text).toContain("- Main");
  });
});
