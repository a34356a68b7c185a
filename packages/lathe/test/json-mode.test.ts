import { call, gate, text, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collect } from "./command.ts";
import { checkJsonLine, type Frame, MODEL, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

/** Every line of stdout, each of them checked. */
async function lines(stdout: string): Promise<Frame[]> {
  const parsed = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Frame);
  await Promise.all(parsed.map(checkJsonLine));
  return parsed;
}
const json = (...args: string[]): string[] => ["--mode", "json", ...MODEL, ...args];
const types = (all: readonly Frame[]): string[] =>
  all.map(({ type }) => type).filter((type, i, list) => type !== list[i - 1]);

describe("JSON mode with a prompt", () => {
  it("MO-04 LS-04 header, events, result; each line fits its schema", async () => {
    rig.server.push(
      turn.blocks([text("Looking."), call({ name: "shell", args: { command: "echo hi" } })]),
      turn.text("It says hi.", { usage: { input: 20, output: 5 } }),
    );
    const run = await rig.box.run(json("--permission-mode", "full", "look"), { env: rig.env, stdin: "piped context" });
    const all = await lines(run.stdout);
    expect(types(all)).toEqual([
      "session",
      "agent_start",
      "message_start",
      "message_end",
      "turn_start",
      "message_start",
      "message_update",
      "message_end",
      "tool_execution_start",
      "tool_execution_update",
      "tool_execution_end",
      "message_start",
      "message_end",
      "turn_end",
      "turn_start",
      "message_start",
      "message_update",
      "message_end",
      "turn_end",
      "agent_end",
      "result",
    ]);
    expect(all.at(-1)).toMatchObject({
      status: "done",
      exitCode: 0,
      text: "It says hi.",
      sessionId: all[0]?.["id"],
      denied: [],
    });
    expect(run.code).toBe(0);
    expect(JSON.stringify(rig.server.requests[0]?.body)).toContain("piped context");
  });

  it("MO-04 nothing follows the result, also when an agent is still at work", async () => {
    const door = gate();
    await rig.remove();
    // After the first one, the requests of the session and of its agent may come in any order.
    rig = await setup({
      script: ({ index, body }) => {
        if (index === 0) return turn.calls([{ name: "spawn_agent", args: { task: "look" }, id: "a" }]);
        const isOfSession = JSON.stringify(body).includes('"call_id":"a"');
        return isOfSession ? turn.text("done") : turn.text("late", { before: door.wait });
      },
    });
    const run = await rig.box.run(json("--permission-mode", "full", "go"), { env: rig.env });
    door.open();
    const all = await lines(run.stdout);
    expect(types(all)).toContain("task:subagent:event");
    expect(all.findIndex(({ type }) => type === "result")).toBe(all.length - 1);
  });

  it("MO-04 denied calls, retries and errors are on the lines and in the result", async () => {
    rig.server.push(
      turn.error(529, { retryAfter: 0 }),
      turn.calls([{ name: "shell", args: { command: "X=1 env echo hi" } }]),
      turn.text("I was not allowed."),
    );
    const denied = await rig.box.run(json("look"), { env: rig.env });
    const all = await lines(denied.stdout);
    expect(types(all)).toContain("auto_retry_start");
    expect(all.at(-1)).toMatchObject({ status: "denied", exitCode: 4, denied: [{ tool: "shell" }] });
    expect(denied.code).toBe(4);

    rig.server.push(turn.error(400, { message: "no good" }));
    const failed = await rig.box.run(json("look"), { env: rig.env });
    const told = await lines(failed.stdout);
    expect(told.find(({ type }) => type === "lathe:error")).toMatchObject({ errorType: "InvalidRequestError" });
    expect(told.at(-1)).toMatchObject({ type: "result", status: "provider_error", exitCode: 3 });
    expect(failed.code).toBe(3);
  });

  it.each([
    [["--mode", "json", "--bogus", "hi"], 2, "usage_error"],
    [["--mode=json", "--model", "nothing/x", "hi"], 2, "usage_error"],
    [["--mode", "json", "--model", "openai/gpt-5.2", "hi"], 3, "provider_error"],
    [["--mode", "json", "--model", "practice/basic"], 2, "usage_error"],
  ])("MO-04 a run that never began ends with a result too: %j", async (args, code, status) => {
    const run = await rig.box.run(args);
    const all = await lines(run.stdout);
    expect(all.at(-1)).toMatchObject({ type: "result", status, exitCode: code, sessionId: null });
    expect(run.code).toBe(code);
    expect(run.stderr).toMatch(/^lathe: .+\n$/);
  });

  it("D-088 MO-04 several prompts give several ends and one result", async () => {
    rig.server.push(turn.text("one"), turn.text("two"));
    const run = await rig.box.run(json("-p", "first", "-p", "second"), { env: rig.env });
    const all = await lines(run.stdout);
    expect(all.filter(({ type }) => type === "agent_end")).toHaveLength(2);
    expect(all.filter(({ type }) => type === "result")).toMatchObject([{ text: "two" }]);
  });
});

describe("JSON mode without a prompt", () => {
  it("HD-05 D-089 messages from stdin: one runs, is interrupted midway, the next one counts", async () => {
    const stuck = gate();
    rig.server.push(turn.text("a long list", { before: stuck.wait }), turn.text("There are three."));
    const child = rig.box.start(json(), rig.env);
    const finished = collect(child);
    const send = (command: object): boolean => child.stdin.write(`${JSON.stringify(command)}\n`);
    send({ type: "message", content: "list the files" });
    send({ type: "message", content: "how many are there?" });
    child.stdin.write("this is no JSON\n");
    send({ type: "message" });
    await stuck.reached;
    send({ type: "interrupt" });
    child.stdin.end();
    const { code, stdout } = await finished;
    stuck.open();
    const all = await lines(stdout);
    const seen = types(all).filter((type) => /^(session|agent_|interrupted|result)/.test(type));
    expect(seen).toEqual(["session", "agent_start", "agent_end", "interrupted", "agent_start", "agent_end", "result"]);
    expect(all.filter(({ type }) => type === "error")).toHaveLength(2);
    expect(all.at(-1)).toMatchObject({ status: "done", text: "There are three." });
    expect(code).toBe(0);
  });

  it("HD-05 an interrupt with nothing to interrupt is an error line, and the run goes on", async () => {
    rig.server.push(turn.text("fine"));
    const child = rig.box.start(json(), rig.env);
    const finished = collect(child);
    child.stdin.write('{"type":"interrupt"}\n');
    child.stdin.end('{"type":"message","content":"hello"}');
    const { code, stdout } = await finished;
    const all = await lines(stdout);
    expect(all[1]).toMatchObject({ type: "error", message: expect.stringContaining("Nothing is running") });
    expect(all.at(-1)).toMatchObject({ type: "result", text: "fine" });
    expect(code).toBe(0);
  });

  it("HD-05 an interrupt that comes right behind its message still ends it", async () => {
    const child = rig.box.start(json(), rig.env);
    const finished = collect(child);
    child.stdin.end('{"type":"message","content":"hello"}\n{"type":"interrupt"}\n');
    const { code, stdout } = await finished;
    const all = await lines(stdout);
    expect(types(all).slice(-2)).toEqual(["interrupted", "result"]);
    expect(all.at(-1)).toMatchObject({ status: "interrupted", exitCode: 130 });
    expect(code).toBe(130);
  });
});
