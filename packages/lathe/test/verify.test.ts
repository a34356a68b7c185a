// Verified work through the command: failures of a check go back to the model, and the checks decide the verdict.

import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { jsonLines, type Stage, stage } from "./contract-kit.ts";
import { RpcHost } from "./rpc-host.ts";

let scene: Stage;
afterEach(() => scene.close());

const write = (path: string, content: string) =>
  turn.calls([{ name: "write_file", args: { file_path: path, content } }]);
const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);
const CHECK = ["--permission-mode", "full", "--check", "sh test.sh"];
const said = (request: number): string =>
  scene.server.requests[request]?.view.messages.map(({ text }) => text).join("\n") ?? "";

const settings = async (text: string): Promise<string[]> => {
  await writeFile(join(scene.box.home, "more.yml"), text);
  return ["--config", join(scene.box.home, "more.yml")];
};

async function begin(
  turns: Parameters<typeof stage>[0],
  test = "grep -q right code.txt || { echo code is wrong; exit 3; }\n",
): Promise<void> {
  scene = await stage(turns);
  await mkdir(join(scene.box.dir, "tests"), { recursive: true });
  await writeFile(join(scene.box.dir, "test.sh"), test);
  await writeFile(join(scene.box.dir, "code.txt"), "wrong\n");
}

const resultOf = (stdout: string) => jsonLines(stdout).at(-1) as Record<string, unknown>;

describe("N1 --check", () => {
  it("N1 a failure goes back to the model, and the work that passes is verified", async () => {
    await begin([write("code.txt", "worse\n"), turn.text("Done."), write("code.txt", "right\n"), turn.text("Fixed.")]);
    const run = await scene.run([...CHECK, "--require", "verified", "--json", "fix it"]);
    expect(resultOf(run.stdout)).toMatchObject({ exitCode: 0, verification: "verified", verificationReasons: [] });
    expect(jsonLines(run.stdout).find(({ type }) => type === "agent_end")).toMatchObject({ verification: "verified" });
    expect(said(2)).toMatch(/code is wrong\n\[exit code 3\]/);
  });

  it("N1 a model that only says so ends as failed, after the rounds that the setting allows", async () => {
    await begin([write("code.txt", "1\n"), turn.text("Done."), write("code.txt", "2\n"), turn.text("All tests pass.")]);
    const run = await scene.run([
      ...CHECK,
      ...(await settings("verify:\n  rounds: 1\n")),
      "--require",
      "verified",
      "fix it",
    ]);
    expect(run).toMatchObject({
      code: 1,
      stdout: "All tests pass.\n",
      stderr: expect.stringContaining("Not verified: a check failed. `sh test.sh` failed (exit code 3)."),
    });
    expect(scene.server.requests).toHaveLength(4);
  });

  it("N1 a model that repeats its answer is told once, and an answer without changes is not checked again", async () => {
    await begin([write("code.txt", "1\n"), turn.text("Done."), turn.text("Done."), turn.text("never asked for")]);
    const run = await scene.run([...CHECK, "--json", "fix it"]);
    expect(resultOf(run.stdout)).toMatchObject({ verification: "failed" });
    expect(scene.server.requests).toHaveLength(3);
  });

  it("N1 /verify over RPC tells what was proven, and lets a person accept it, by name", async () => {
    await begin([
      shell("echo exit 0 > test.sh; echo x > code.txt"),
      turn.text("Done."),
      turn.text("It has to be that way."),
      turn.text("ok"),
    ]);
    const host = new RpcHost(scene.box.open([...scene.args, ...CHECK, "--mode", "rpc"], { ...scene.env, USER: "ada" }));
    const told = async (message: string): Promise<string> => {
      const from = host.frames.length;
      expect(await host.ask("prompt", { message })).toMatchObject({ success: true });
      return JSON.stringify(host.frames.slice(from));
    };
    expect(await told("/verify")).toContain("Nothing has been verified yet. Checks: sh test.sh");
    await host.prompt("fix it");
    expect(await told("/verify")).toMatch(
      /Not verified: test\.sh was changed.*sh test\.sh with the original tests: exit code 3/s,
    );
    expect(await told("/verify accept")).toContain("Accepted by ada.");
    expect(await host.ask("prompt", { message: "/verify accept" })).toMatchObject({ success: false });
    await host.prompt("and now?");
    expect(host.events().findLast(({ type }) => type === "agent_end")).toMatchObject({ verification: "none" });
    expect(await host.finish()).toBe(0);
    // Opened again without checks, the session still shows what was proven.
    const later = await scene.run(["-c", "-p", "/verify"]);
    expect(later).toMatchObject({ code: 0, stdout: "" });
    expect(later.stderr).toMatch(
      /Accepted by ada\.\n {2}sh test\.sh: exit code 0[\s\S]*No checks run in this session now\. .* lathe -c --check/,
    );
  });

  it("N1 a weakened test makes the run unverified, by name, and a person may accept it", async () => {
    await begin([
      shell("echo exit 0 > test.sh; echo x > code.txt"),
      turn.text("Done."),
      turn.text("It has to be that way."),
    ]);
    const run = await scene.run([...CHECK, "--json", "fix it"]);
    expect(resultOf(run.stdout)).toMatchObject({
      exitCode: 0,
      verification: "unverified",
      verificationReasons: [expect.stringContaining("test.sh was changed; with the old version, `sh test.sh` failed")],
    });
    expect(said(2)).toContain("count as they were when the work began");
  });

  it("N1 an edit by a job after the model has stopped is seen by the check", async () => {
    await begin([
      turn.calls([
        {
          name: "shell",
          args: { command: "echo right > code.txt; sleep 1; echo broken > code.txt", background: true },
        },
      ]),
      turn.text("Done."),
      turn.text("The job has ended."),
    ]);
    const run = await scene.run([...CHECK, ...(await settings("verify:\n  rounds: 0\n")), "--json", "fix it"]);
    expect(resultOf(run.stdout)).toMatchObject({ verification: "failed" });
  });

  it("N1 a daemon that waits for the verdict is ended before the checks run", async () => {
    const daemon =
      "setsid sh -c 'until grep -rqs custom[T]ype...verification ~/.lathe/sessions; do :; done; echo broken > code.txt'";
    await begin([shell(`echo right > code.txt; ${daemon} > /dev/null 2>&1 &`), turn.text("Done.")]);
    const run = await scene.run([...CHECK, "--require", "verified", "--json", "fix it"]);
    expect(resultOf(run.stdout)).toMatchObject({ exitCode: 0, verification: "verified" });
    expect(run.stdout).toContain("Stopped before the checks ran: programs that commands left in the background");
    expect(await readFile(join(scene.box.dir, "code.txt"), "utf8")).toBe("right\n");
  });

  it("N1 in a folder of a repository, what lies above it is put back, too", async () => {
    await begin([shell("echo exit 0 > ../test.sh; echo x > code.txt"), turn.text("Done."), turn.text("Still done.")]);
    const { dir } = scene.box;
    await mkdir(join(dir, "part"));
    await writeFile(join(dir, "test.sh"), "grep -q right part/code.txt\n");
    await writeFile(join(dir, "part/code.txt"), "wrong\n");
    execFileSync("git", ["init", "-q", dir]);
    const check = ["--permission-mode", "full", "--check", "cd .. && sh test.sh", "--json"];
    const inPart = { cwd: join(dir, "part") };
    const run = await scene.run([...check, "fix it"], inPart);
    expect(resultOf(run.stdout)).toMatchObject({
      verification: "unverified",
      verificationReasons: [expect.stringMatching(/^\.\.\/test\.sh was changed; with the old version/)],
    });
    await writeFile(join(dir, "test.sh"), "grep -q right part/code.txt\n");
    scene.server.push(shell("echo right > code.txt; echo 1 > ../other.txt"), turn.text("Done."));
    expect(resultOf((await scene.run([...check, "again"], inPart)).stdout)).toMatchObject({ verification: "verified" });
  });

  it("N1 in a project with more files than can be looked at the check runs, and nothing is called verified", async () => {
    await begin([shell("echo right > code.txt"), turn.text("Done.")]);
    const few = await settings("rewind:\n  maxFiles: 1\n");
    const run = await scene.run([...CHECK, ...few, "--json", "fix it"]);
    expect(resultOf(run.stdout)).toMatchObject({
      verification: "unverified",
      verificationReasons: ["The project has too many files to know what was changed: raise rewind.maxFiles."],
    });
    expect(run.stdout).not.toContain("othing was changed");
  });

  it("N1 without changes nothing runs, and a question or a limit never ends as verified", async () => {
    await begin([turn.text("Hello."), write("code.txt", "right\n"), turn.text("never asked for")]);
    const none = await scene.run([...CHECK, "--json", "hi"]);
    expect(resultOf(none.stdout)).toMatchObject({ exitCode: 0, verification: "none" });
    const limited = await scene.run([...CHECK, "--max-turns", "1", "--json", "fix it"]);
    expect(resultOf(limited.stdout)).toMatchObject({
      exitCode: 5,
      verification: "unverified",
      verificationReasons: ["The work ended before it was verified: a limit was reached."],
    });
    // The work still needs to be verified when the session is resumed.
    expect(resultOf((await scene.run([...CHECK, "--json", "-c", "go on"])).stdout)).toMatchObject({
      verification: "verified",
    });
  });

  it("N1 a run in an isolated copy is verified as it will be applied", async () => {
    await begin([write("code.txt", "right\n"), turn.text("Done.")]);
    const run = await scene.run([...CHECK, "--worktree", "--json", "fix it"]);
    expect(resultOf(run.stdout)).toMatchObject({ exitCode: 0, verification: "verified" });
  });

  it.each([
    ['checks:\n  "src/**": "npm (test"\n', /more\.yml: checks, "src\/\*\*": the shell cannot read .* lathe config set/],
    ['checks:\n  "src/**": " "\n', /more\.yml: checks, "src\/\*\*": the command is empty\. .* lathe config set/],
    ['checks:\n  "src/[": "npm test"\n', /more\.yml: checks, "src\/\[": .* lathe config set/],
    [
      'checks:\n  "**": "npm test"\nverify:\n  tests: ["qa/{"]\n',
      /more\.yml: verify\.tests, "qa\/\{": .* lathe config set/,
    ],
    ['checks: "npm test"\n', /more\.yml.*checks/],
    ["verify:\n  rounds: many\n", /more\.yml.*verify\.rounds/],
  ])("N1 refuses in one line with file, key and next step, before anything is sent: %j", async (text, line) => {
    await begin([]);
    const run = await scene.run([...(await settings(text)), "hi"]);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(line) });
    expect(run.stderr.trim().split("\n")).toHaveLength(1);
    expect(scene.server.requests).toEqual([]);
  });

  it("N1 a project's checks count only when its folder is trusted", async () => {
    await begin([write("code.txt", "worse\n"), turn.text("Done.")]);
    await mkdir(join(scene.box.dir, ".lathe"));
    await writeFile(join(scene.box.dir, ".lathe/config.yml"), "checks: { '**': sh test.sh }\n");
    const full = ["--permission-mode", "full", "--json", "fix it"];
    expect(resultOf((await scene.run(full)).stdout)).toMatchObject({ verification: "none" });
    expect((await scene.box.run(["trust"])).code).toBe(0);
    scene.server.push(write("code.txt", "bad\n"), turn.text("Done."), turn.text("Still done."));
    expect(resultOf((await scene.run(full)).stdout)).toMatchObject({ verification: "failed" });
  });

  it("N1 a check that gives no result in time has failed, and its processes are ended", async () => {
    await begin([write("code.txt", "right\n"), turn.text("Done.")], "sleep 600\n");
    const run = await scene.run([
      ...CHECK,
      ...(await settings("verify:\n  timeoutMs: 300\n  rounds: 0\n")),
      "--json",
      "fix it",
    ]);
    expect(resultOf(run.stdout)).toMatchObject({
      verification: "failed",
      verificationReasons: ["`sh test.sh` gave no result in time."],
    });
  });

  it("N1 in the sandbox a check is confined as the session is", async () => {
    const outside = "echo out > ../outside.txt || exit 0; exit 7\n";
    await begin([write("code.txt", "right\n"), turn.text("Done.")], outside);
    const run = await scene.run([...CHECK, ...(await settings("sandbox:\n  enabled: true\n")), "--json", "fix it"]);
    expect(resultOf(run.stdout)).toMatchObject({ verification: "verified" });
  });

  it.each([
    [["--check", " "], "--check is empty."],
    [["--check", "npm 'test"], "--check: the shell cannot read `npm 'test`: a quote is not closed."],
    [["--check", "if ["], '--check: the shell cannot read `if [`: "then" is missing.'],
    [["--require", "verified"], "--require verified needs a check."],
  ])("N1 refuses %j before anything is sent", async (options, message) => {
    await begin([]);
    const run = await scene.run([...options, "hi"]);
    expect(run.code).toBe(2);
    expect(run.stderr.trim().split("\n")).toEqual([expect.stringContaining(message)]);
    expect(scene.server.requests).toHaveLength(0);
  });
});
