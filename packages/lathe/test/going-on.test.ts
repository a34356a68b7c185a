// `lathe -c` without a prompt, for scripts: finishes an earlier run that was cut off.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { collect } from "./command.ts";
import { jsonLines, MODEL, type Stage, stage } from "./contract-kit.ts";

let scene: Stage;
afterEach(() => scene.close());

const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);
const said = (request: number): string =>
  scene.server.requests[request]?.view.messages.map(({ text }) => text).join("\n") ?? "";

describe("lathe -c without a prompt and without a terminal", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)("goes on after %s", async (signal) => {
    const door = gate();
    scene = await stage([turn.text("half", { before: door.wait }), turn.text("whole")]);
    const child = scene.start(["begin here"]);
    const ended = collect(child);
    child.stdin.end();
    await door.reached;
    child.kill(signal);
    await ended;
    door.open();
    expect(await scene.run(["-c"])).toEqual({ code: 0, stdout: "whole\n", stderr: "" });
    expect(said(1)).toContain("begin here");
  });

  it("goes on after a limit, with a limit of its own", async () => {
    scene = await stage([shell("echo one"), shell("echo two"), turn.text("done")]);
    const full = ["--permission-mode", "full", "--max-turns"];
    expect(await scene.run([...full, "1", "work"])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("Continue with a higher limit: lathe -c"),
    });
    expect(await scene.run([...full, "2", "-c"])).toMatchObject({ code: 0, stdout: "done\n" });
    expect(said(2)).toContain("work");
  });

  it("goes on after a failure of the provider, in the session that is named", async () => {
    scene = await stage([turn.error(400), turn.text("fine")]);
    expect(await scene.run(["--session", "s.jsonl", "work"])).toMatchObject({ code: 3 });
    expect(await scene.run(["--session", "s.jsonl"])).toMatchObject({ code: 0, stdout: "fine\n" });
  });

  it("has nothing to do after an answer, or where nothing came before", async () => {
    scene = await stage([turn.text("answer")]);
    const nothing = { code: 2, stdout: "", stderr: expect.stringMatching(/nothing left to do.*lathe -c "<prompt>"/) };
    expect(await scene.run(["-c"])).toMatchObject(nothing);
    const NEW = "lathe: There is no earlier session of this directory: this is a new one.\n";
    expect(await scene.run(["-c", "work"])).toEqual({ code: 0, stdout: "answer\n", stderr: NEW });
    expect(await scene.run(["-c"])).toMatchObject(nothing);
    expect(scene.server.requests).toHaveLength(1);
  });
});

it("a request above the limit of the account is asked for once and told in the provider's words", async () => {
  const message = "Request too large for m on tokens per min (TPM): Limit 30000, Requested 36278.";
  scene = await stage([turn.error(429, { message })]);
  const { code, stderr } = await scene.run(["work"]);
  expect([code, scene.server.requests.length]).toEqual([1, 1]);
  expect(stderr).toContain(`too large: ${message} Start a new session or choose a larger model.`);
});

it("a run that keeps nothing does not advise lathe -c, which would continue another session", async () => {
  scene = await stage([
    shell("echo one"),
    turn.calls([{ name: "ask_user", args: question }]),
    turn.error(429, { retryAfter: 900 }),
  ]);
  const run = async (...args: string[]): Promise<string> => (await scene.run(["--no-session", ...args])).stderr;
  expect(await run("--permission-mode", "full", "--max-turns", "1", "work")).toMatch(
    /Run it again with a higher limit/,
  );
  expect(await run("work")).toMatch(/asked a question\. Run it again with the answer/);
  expect(await run("work")).not.toContain("lathe -c");
});

const question = { questions: [{ id: "q", question: "Which?", options: [{ label: "a" }, { label: "b" }] }] };

describe("code 6", () => {
  it("stdout and the result hold the question, so that it can be answered; the hint names the session where there are others", async () => {
    const ask = turn.blocks([
      { type: "text", text: "One thing first." },
      { type: "call", name: "ask_user", args: question },
    ]);
    scene = await stage([ask, ask, turn.text("done")]);
    expect(await scene.run(["work"])).toEqual({
      code: 6,
      stdout: "One thing first.\n\nWhich?\n  1. a\n  2. b\n",
      stderr: expect.stringContaining('lathe -c "<answer>"'),
    });
    const { stdout } = await scene.run(["--mode", "json", "work"]);
    const [{ id = "" } = {}] = jsonLines(stdout) as { id?: string }[];
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      ...{ status: "question", text: expect.stringContaining("Which?") },
      error: `The agent asked a question. Answer it with: lathe --resume ${id.slice(0, 8)} "<answer>"`,
    });
    expect(await scene.run(["-c", "a"])).toMatchObject({ code: 0, stdout: "done\n" });
  });

  it("in plan mode stdout is the plan, and lathe -c carries it out", async () => {
    const plan = "1. look\n2. mend";
    const write = turn.calls([{ name: "write_file", args: { file_path: "made.txt", content: "x" } }]);
    scene = await stage([turn.calls([{ name: "exit_plan_mode", args: { plan } }]), write, turn.text("done")]);
    expect(await scene.run(["--permission-mode", "plan", "work"])).toEqual({
      code: 6,
      stdout: `${plan}\n`,
      stderr: expect.stringContaining('The agent proposed a plan. To carry it out: lathe -c "go ahead"'),
    });
    expect(await scene.run(["-c", "go ahead"])).toMatchObject({ code: 0, stdout: "done\n" });
  });
});

it("--record with the path of a file is a usage error that says so", async () => {
  scene = await stage([]);
  await writeFile(join(scene.box.dir, "file"), "x");
  expect(await scene.run(["--model", MODEL, "--record", "file", "work"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--record: "),
  });
});
