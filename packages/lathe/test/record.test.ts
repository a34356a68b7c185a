// --record and `lathe replay`: a replay gives the same run, byte for byte, offline and on any machine, and the folder
// contains no key.

import { once } from "node:events";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, type Script, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { collect, type Sandbox, sandbox } from "./command.ts";
import { KEY, type Stage, stage } from "./contract-kit.ts";

let scene: Stage;
let elsewhere: Sandbox | undefined;
afterEach(async () => {
  await scene.close();
  await elsewhere?.remove();
  elsewhere = undefined;
});

const call = (name: string, args: unknown) => ({ name, args });
const full = ["--permission-mode", "full"];

/** Another home, no key, no project, and no server. */
async function replayElsewhere(recording: string) {
  await scene.server.close();
  elsewhere = await sandbox();
  await cp(recording, join(elsewhere.dir, "rec"), { recursive: true });
  await rm(scene.box.dir, { recursive: true });
  return elsewhere.run(["replay", "rec"]);
}

const recordingIn = (): string => join(scene.box.home, "rec");

describe("--record", () => {
  const work: Script = [
    turn.error(529),
    turn.calls([
      call("shell", { command: "echo $RANDOM; sleep 0.05; date +%N" }),
      call("write_file", { path: "notes.txt", content: "one\ntwo\n" }),
      call("read_file", { file_path: "missing.txt" }),
    ]),
    turn.calls([
      call("todo", { ops: [{ op: "init", list: [{ phase: "All", items: ["look", "mend"] }] }] }),
      call("shell", { command: "yes lathe | head -c 400000" }),
    ]),
    turn.text("first answer"),
    turn.text("the last answer"),
  ];

  it("a run with retries, tools, a todo list and several prompts replays to the same journal", async () => {
    scene = await stage(work);
    await writeFile(join(scene.box.dir, "AGENTS.md"), "Be brief.\n");
    const recorded = await scene.run([
      ...full,
      "--record",
      recordingIn(),
      "-p",
      "begin",
      "-p",
      "go on",
      "--append-system-prompt",
      "Be kind.",
    ]);
    expect(recorded).toMatchObject({ code: 0, stdout: "the last answer\n" });
    const replayed = await replayElsewhere(recordingIn());
    expect(replayed).toEqual({
      code: 0,
      stdout: "the last answer\n",
      stderr: expect.stringMatching(/^lathe: The journal is identical: \d+ lines, sha256 [0-9a-f]{64}\.\n$/),
    });
  });

  it("G-101 a session in the middle of a workflow is not recorded: an answer would be taken for a message", async () => {
    const ask = call("interview", { op: "ask", question: "Which?", options: [{ label: "red" }] });
    scene = await stage([turn.calls([ask]), turn.text("Well.")]);
    expect(await scene.run(["-p", "/skill:deep-interview a wall"])).toMatchObject({ code: 6 });
    expect(await scene.run(["-c", "--record", recordingIn(), "-p", "red"])).toEqual({
      code: 2,
      stdout: "",
      stderr:
        'lathe: --record: this session is in the workflow deep-interview, which cannot be recorded. Finish it without --record, or end it: lathe -c "/workflow stop"\n',
    });
    await expect(readdir(recordingIn())).rejects.toThrow("ENOENT");
    expect(scene.server.requests).toHaveLength(1);
    expect(await scene.run(["-c", "-p", "red"])).toMatchObject({ code: 6, stdout: "Well.\n" });
  });

  it("a picture in the prompt, and one that a tool reads, replays to the same journal", async () => {
    scene = await stage([turn.calls([call("read_file", { file_path: "dot.png" })]), turn.text("two dots")]);
    const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await writeFile(join(scene.box.dir, "dot.png"), Buffer.from(dot, "base64"));
    expect(await scene.run(["--record", recordingIn(), "look", "@dot.png"])).toMatchObject({ code: 0 });
    expect(await replayElsewhere(recordingIn())).toMatchObject({ code: 0, stdout: "two dots\n" });
  });

  it("K-22 no key is in the folder, wherever it came from", async () => {
    scene = await stage([turn.text("ok", { headers: { "set-cookie": `session=${KEY}` } })]);
    const args = ["--api-key", `${KEY}-2`, "--base-url", scene.server.url.replace("//", `//user:${KEY}@`)];
    const { code } = await scene.run([...args, "--record", recordingIn(), "go"]);
    expect(code).toBe(0);
    const files = await readdir(recordingIn());
    expect(files).toContain("run.jsonl");
    for (const file of files) expect(await readFile(join(recordingIn(), file), "latin1")).not.toContain(KEY);
  });

  it("a session that is continued brings its past along", async () => {
    scene = await stage([turn.text("x".repeat(70_000)), turn.text("second")]);
    await scene.run(["first prompt"]);
    expect((await scene.run(["-c", "--record", recordingIn(), "second prompt"])).code).toBe(0);
    expect(await replayElsewhere(recordingIn())).toMatchObject({ code: 0, stdout: "second\n" });
  });

  it("a failed run, an interrupted one and one that is kept in memory replay as well", async () => {
    const door = gate();
    scene = await stage([
      turn.error(401),
      turn.text("half an answer", { beforeEvent: (i) => (i > 3 ? door.wait() : undefined) }),
      turn.text("m"),
    ]);
    const dirs = ["failed", "interrupted", "memory"].map((name) => join(scene.box.home, name));
    expect((await scene.run(["--record", dirs[0]!, "go"])).code).toBe(3);
    const child = scene.start(["--record", dirs[1]!, "go"]);
    const interrupted = collect(child);
    child.stdin.end();
    await door.reached;
    child.kill("SIGINT");
    expect((await interrupted).code).toBe(130);
    door.open();
    expect((await scene.run(["--mode", "json", "--no-session", "--record", dirs[2]!, "go"])).code).toBe(0);
    for (const dir of dirs) {
      expect(await scene.box.run(["replay", dir])).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("identical"),
      });
    }
  });

  it.each([
    ["openai/gpt-5.2", "openai"],
    ["gemini/gemini-2.5-pro", "gemini"],
    ["mine/special", "chat"],
  ] as const)("%s replays too, whatever the home it is replayed in knows of it", async (model, dialect) => {
    scene = await stage([
      turn.calls([call(dialect === "gemini" ? "run_shell_command" : "shell", { command: "echo hi" })]),
      turn.text("said hi"),
    ]);
    const url = scene.server.baseUrl(dialect);
    await mkdir(join(scene.box.home, ".lathe"), { recursive: true });
    const models = `providers:\n  mine:\n    baseUrl: ${url}\n    api: openai-completions\n    apiKey: ${KEY}\n    headers:\n      x-secret: ${KEY}\n    models:\n      - id: special\n        contextWindow: 9000\n        maxTokens: 512\n`;
    await writeFile(join(scene.box.home, ".lathe", "models.yml"), models);
    const env = { OPENAI_API_KEY: KEY, GEMINI_API_KEY: KEY, OPENAI_BASE_URL: url, GEMINI_BASE_URL: url };
    const recorded = await scene.box.run([...full, "--model", model, "--record", recordingIn(), "go"], { env });
    expect(recorded).toMatchObject({ code: 0, stdout: "said hi\n" });
    for (const file of await readdir(recordingIn()))
      expect(await readFile(join(recordingIn(), file), "latin1")).not.toContain(KEY);
    expect(await replayElsewhere(recordingIn())).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("identical"),
    });
  });

  it("subagents are part of the run", async () => {
    let spawned = "";
    scene = await stage((request) => {
      const last = request.view.messages.at(-1);
      spawned = /"agent_id":"(\w+)"/.exec(last?.results[0]?.text ?? "")?.[1] ?? spawned;
      if (/count the files/.test(last?.text ?? "")) return turn.text("seven files");
      if (last?.results.length === 0) return turn.calls([call("spawn_agent", { task: "count the files" })]);
      if (last?.results[0]?.text.includes("seven")) return turn.text("There are seven.");
      return turn.calls([call("wait", { agent_id: spawned })]);
    });
    const recorded = await scene.run([...full, "--record", recordingIn(), "ask a helper"]);
    expect(recorded).toMatchObject({ code: 0, stdout: "There are seven.\n" });
    const journal = join(recordingIn(), "agents", `${spawned}.jsonl`);
    const text = await readFile(journal, "utf8");
    await writeFile(journal, text.replace("seven files", "eight files"));
    expect(await scene.box.run(["replay", recordingIn()])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(`line \\d+ of the journal of agent ${spawned} differs from the recording`),
      ),
    });
    await writeFile(journal, text);
    expect(await replayElsewhere(recordingIn())).toMatchObject({ code: 0, stdout: "There are seven.\n" });
  });

  it("a replay that comes out differently says where, with code 1", async () => {
    scene = await stage([turn.text("an answer")]);
    await scene.run(["--record", recordingIn(), "go"]);
    const file = join(recordingIn(), "session.json");
    await writeFile(
      file,
      (await readFile(file, "utf8")).replace('"maxOutputTokens": 32000', '"maxOutputTokens": 1000'),
    );
    const { code, stderr } = await scene.box.run(["replay", recordingIn()]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/not identical: .*request 0 .*line \d+/),
    });
  });

  it("a folder that is in use, not there or cut is refused with code 2", async () => {
    const door = gate();
    scene = await stage([turn.text("never", { before: door.wait })]);
    await mkdir(join(scene.box.home, "used"));
    await writeFile(join(scene.box.home, "used", "x"), "");
    expect(await scene.run(["--record", join(scene.box.home, "used"), "go"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not empty"),
    });
    // A run that never began leaves no folder behind.
    expect((await scene.run(["--record", recordingIn(), "--model", "nobody/x", "go"])).code).toBe(2);
    expect((await scene.box.run(["replay", "nowhere"])).code).toBe(2);
    expect((await scene.box.run(["replay"])).code).toBe(2);
    const child = scene.start(["--record", recordingIn(), "go"]);
    child.stdin.end();
    await door.reached;
    child.kill("SIGKILL");
    await once(child, "close");
    expect(await scene.box.run(["replay", recordingIn()])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did not end"),
    });
    door.open();
  });
});
