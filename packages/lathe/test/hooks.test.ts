// Command hooks with the built product: programs written for Lathe or another agent, run by a real shell.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MODEL, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

type Hooks = Readonly<Record<string, readonly unknown[]>>;
const command = (line: string, matcher = "*", timeout?: number): unknown => ({
  matcher,
  hooks: [{ type: "command", command: line, ...(timeout === undefined ? {} : { timeout }) }],
});
const mine = (hooks: Hooks): string => write(join(rig.box.home, ".lathe/hooks.json"), JSON.stringify({ hooks }));
const print = (...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> =>
  rig.box.run([...MODEL, "-p", ...args], { env: rig.env });
const shell = (line: string): ReturnType<typeof turn.calls> => turn.calls([{ name: "shell", args: { command: line } }]);
/** The whole request as the server got it. */
const request = (at: number): string => JSON.stringify(rig.server.requests[at]?.body);
const file = (name: string): string => join(rig.box.dir, name);

describe("before a call", () => {
  it("EX-04 a program that ends with 2 keeps the call from running, and its reason goes to the model", async () => {
    mine({ PreToolUse: [command("echo 'no touching here' >&2; exit 2", "Bash|Write")] });
    rig.server.push(shell("touch made"), turn.text("understood"));
    const run = await print("--permission-mode", "full", "go");
    expect(run).toMatchObject({ code: 0, stdout: "understood\n" });
    expect(existsSync(file("made"))).toBe(false);
    expect(request(1)).toContain("no touching here");
  });

  it("a program is given the call, and can deny it or put other arguments in its place by JSON", async () => {
    const answer = { hookSpecificOutput: { permissionDecision: "allow", updatedInput: { command: "touch other" } } };
    mine({ PreToolUse: [command(`cat > ${file("given")}; echo '${JSON.stringify(answer)}'`, "shell")] });
    rig.server.push(shell("touch made"), turn.text("done"));
    await print("--permission-mode", "full", "go");
    expect([existsSync(file("made")), existsSync(file("other"))]).toEqual([false, true]);
    expect(JSON.parse(readFileSync(file("given"), "utf8"))).toMatchObject({
      hook_event_name: "PreToolUse",
      tool_name: "shell",
      tool_input: { command: "touch made" },
      cwd: rig.box.dir,
      permission_mode: "bypassPermissions",
      session_id: expect.stringMatching(/./),
      transcript_path: expect.stringMatching(/\.jsonl$/),
    });
  });

  it("a yes answers the question that would have been asked, and the audit says who gave it; a deny rule stays stronger", async () => {
    mine({ PreToolUse: [command(`echo '{"decision":"approve","reason":"known to be fine"}'`)] });
    rig.server.push(
      turn.calls([
        { name: "shell", args: { command: "X=1 touch made" } },
        { name: "shell", args: { command: "X=1 touch denied" } },
      ]),
      turn.text("done"),
    );
    await print("--deny", "shell(touch denied)", "go");
    expect([existsSync(file("made")), existsSync(file("denied"))]).toEqual([true, false]);
    const [session] = JSON.parse((await rig.box.run(["sessions", "list", "--json"])).stdout) as { id: string }[];
    const audit = await rig.box.run(["sessions", "show", String(session?.id), "--audit"]);
    expect(audit.stdout).toMatch(/hook PreToolUse of .*hooks\.json/);
  });

  it("a program that fails, hangs or prints rubbish is named, and the call runs", async () => {
    mine({
      PreToolUse: [command("echo broken >&2; exit 1"), command("sleep 60", "*", 0.2), command("echo '{oops'")],
    });
    rig.server.push(shell("touch made"), turn.text("done"));
    const { stderr } = await print("--permission-mode", "full", "go");
    expect(existsSync(file("made"))).toBe(true);
    expect(stderr).toMatch(/The hook PreToolUse of .*hooks\.json ended with code 1: broken/);
    expect(stderr).toMatch(/The hook PreToolUse of .*hooks\.json did not end in time/);
    expect(stderr).toMatch(/begins like JSON but is not valid/);
  });
});

describe("around the work", () => {
  it("what a program says after a call, at the start and to a prompt reaches the model behind what the person said", async () => {
    mine({
      SessionStart: [command("echo 'the build is broken since noon'", "startup")],
      UserPromptSubmit: [command("echo 'ticket 12 is meant'")],
      PostToolUse: [command(`echo '{"decision":"block","reason":"run the linter as well"}'`, "shell")],
    });
    rig.server.push(shell("echo hi"), turn.text("done"));
    await print("--permission-mode", "full", "fix it");
    expect(request(0)).toMatch(/fix it.*the build is broken since noon.*ticket 12 is meant/s);
    expect(request(1)).toContain("run the linter as well");
  });

  it("a prompt that a program refuses is not sent", async () => {
    mine({ UserPromptSubmit: [command("grep -q secret && { echo 'no secrets' >&2; exit 2; }; exit 0")] });
    const run = await print("the secret is 42");
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain("no secrets");
    expect(rig.server.requests).toHaveLength(0);
  });

  it("a program can keep the model at work, but not for ever", async () => {
    const line = `echo '{"decision":"block","reason":"the tests have not been run"}'`;
    mine({ Stop: [command(line)] });
    for (let i = 0; i < 9; i++) rig.server.push(turn.text(`answer ${i}`));
    const run = await print("go");
    expect(run).toMatchObject({ code: 0, stdout: "answer 8\n" });
    expect(request(1)).toContain("the tests have not been run");
    expect(run.stderr).toContain("A hook has kept the model at work 8 times; now it may stop.");
  });

  it("the end of a session runs its programs, and does not wait for one that hangs beyond its time", async () => {
    mine({ SessionEnd: [command(`cat > ${file("ended")}`), command("sleep 60", "*", 0.2)] });
    rig.server.push(turn.text("done"));
    expect((await print("go")).code).toBe(0);
    expect(JSON.parse(readFileSync(file("ended"), "utf8"))).toMatchObject({ hook_event_name: "SessionEnd" });
  });
});

describe("hooks that were written for another agent", () => {
  const theirs = (): void => {
    const line = `cat > ${file("given")}; echo 'not in this project' >&2; exit 2`;
    write(file(".claude/settings.json"), JSON.stringify({ hooks: { PreToolUse: [command(line, "Write|Edit")] } }));
  };

  it("in a folder that is trusted they know the tool and its file by their own names", async () => {
    theirs();
    await rig.box.run(["trust"], { env: rig.env });
    rig.server.push(
      turn.calls([{ name: "write_file", args: { file_path: "a.txt", content: "hi" } }]),
      turn.text("understood"),
    );
    await print("go");
    expect(existsSync(file("a.txt"))).toBe(false);
    expect(JSON.parse(readFileSync(file("given"), "utf8"))).toMatchObject({
      tool_name: "Write",
      tool_input: { file_path: file("a.txt") },
      lathe: { tool: "write_file" },
    });
  });

  it("in a stranger's folder they never run", async () => {
    theirs();
    rig.server.push(
      turn.calls([{ name: "write_file", args: { file_path: "a.txt", content: "hi" } }]),
      turn.text("understood"),
    );
    await print("go");
    expect([existsSync(file("a.txt")), existsSync(file("given"))]).toEqual([true, false]);
  });

  it("an event that does not exist and a matcher that is no pattern are named with the file; the others work", async () => {
    const path = mine({
      PreToolUze: [command("exit 2")],
      PreToolUse: [command("exit 2", "(unclosed"), command("echo 'refused' >&2; exit 2", "shell")],
    });
    rig.server.push(shell("touch made"), turn.text("done"));
    const { stderr } = await print("--permission-mode", "full", "go");
    expect(stderr).toContain(path);
    expect(stderr).toContain("there is no event PreToolUze for hooks");
    expect(stderr).toContain('the matcher "(unclosed" of PreToolUse is not a valid pattern');
    expect(existsSync(file("made"))).toBe(false);
  });
});

describe("Claude's contract", () => {
  const theirs = (hooks: Hooks): string =>
    write(join(rig.box.home, ".claude/settings.json"), JSON.stringify({ hooks }));

  it("EX-04 hooks at the start of the session are done before hooks of the first prompt begin", async () => {
    theirs({
      SessionStart: [command(`sleep 0.3; echo start >> ${file("order")}`)],
      UserPromptSubmit: [command(`echo prompt >> ${file("order")}`)],
    });
    rig.server.push(turn.text("done"));
    await print("go");
    expect(readFileSync(file("order"), "utf8")).toBe("start\nprompt\n");
  });

  it("a hook that is async, by its file or by its first line, holds nothing up, and nothing it says is sent", async () => {
    const slow = "sleep 60; echo never";
    theirs({
      UserPromptSubmit: [
        { hooks: [{ type: "command", command: "echo 'said aside'; exit 2", async: true }] },
        { hooks: [{ type: "command", command: slow, async: true }] },
        command(`echo '{"async":true}'; echo 'said aside'; ${slow}`),
      ],
    });
    rig.server.push(turn.text("done"));
    const run = await print("go");
    expect(run).toMatchObject({ code: 0, stdout: "done\n" });
    expect(request(0)).not.toContain("said aside");
  });

  it("a call that fails is told to PostToolUseFailure, not to PostToolUse", async () => {
    theirs({
      PostToolUse: [command(`cat > ${file("after")}`)],
      PostToolUseFailure: [command(`cat > ${file("failed")}`, "Read")],
    });
    rig.server.push(turn.calls([{ name: "read_file", args: { file_path: "nowhere" } }]), turn.text("done"));
    await print("go");
    expect(existsSync(file("after"))).toBe(false);
    expect(JSON.parse(readFileSync(file("failed"), "utf8"))).toMatchObject({
      hook_event_name: "PostToolUseFailure",
      tool_name: "Read",
      tool_input: { file_path: file("nowhere") },
      error: expect.stringContaining("nowhere"),
    });
  });

  it("a child agent is told to SubagentStart, and what the hook says goes with its assignment", async () => {
    theirs({
      SubagentStart: [
        command(`cat > ${file("child")}; echo '{"hookSpecificOutput":{"additionalContext":"mind the gap"}}'`),
      ],
    });
    // Child and parent go on at the same time, in any order: a parent that ended first would take its child with it.
    const both = (): Promise<void> => expect.poll(() => rig.server.requests.length).toBe(3);
    rig.server.push(
      turn.calls([{ name: "spawn_agent", args: { task: "look around" } }]),
      turn.text("child done", { before: both }),
      turn.text("done", { before: both }),
    );
    await print("--permission-mode", "full", "go");
    expect(JSON.parse(readFileSync(file("child"), "utf8"))).toMatchObject({
      hook_event_name: "SubagentStart",
      agent_id: expect.stringMatching(/./),
      agent_type: expect.stringMatching(/./),
    });
    expect(rig.server.requests.some(({ body }) => /look around.*mind the gap/s.test(JSON.stringify(body)))).toBe(true);
  });

  it("PermissionRequest answers the question that a host would be asked: yes for one call, no for the other", async () => {
    const decide = (behavior: string): string =>
      JSON.stringify({ hookSpecificOutput: { decision: { behavior, message: "the hook says so" } } });
    theirs({
      PermissionRequest: [
        command(`if grep -q yes.txt; then echo '${decide("allow")}'; else echo '${decide("deny")}'; fi`, "Bash"),
      ],
    });
    rig.server.push(shell("X=1 touch yes.txt"), shell("X=1 touch no.txt"), turn.text("done"));
    const host = await rig.start();
    await host.prompt("go");
    expect([existsSync(file("yes.txt")), existsSync(file("no.txt"))]).toEqual([true, false]);
    expect(request(2)).toContain("the hook says so");
    await host.finish();
  });

  it("transcript_path is a file in Claude's form that grows with the conversation, and is gone with the session", async () => {
    const copy = (name: string): string =>
      `p=$(sed 's/.*"transcript_path":"\\([^"]*\\)".*/\\1/'); cp "$p" ${file(name)}; echo "$p" > ${file("path")}`;
    theirs({
      PreToolUse: [command(copy("first"))],
      Stop: [command(copy("second"))],
      SessionEnd: [command(copy("third"))],
    });
    rig.server.push(shell("echo hi"), turn.text("all done"));
    await print("--permission-mode", "full", "say hi");
    const lines = (name: string): unknown[] =>
      readFileSync(file(name), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown);
    const begun = [
      { type: "user", parentUuid: null, message: { role: "user", content: "say hi" } },
      {
        type: "assistant",
        message: { role: "assistant", content: [{ type: "tool_use", name: "Bash", input: { command: "echo hi" } }] },
      },
    ];
    expect(lines("first")).toMatchObject(begun);
    const whole = [
      ...begun,
      { type: "user", message: { role: "user", content: [{ type: "tool_result", is_error: false }] } },
      { type: "assistant", message: { content: [{ type: "text", text: "all done" }] } },
    ];
    expect(lines("second")).toMatchObject(whole);
    expect(lines("third")).toMatchObject(whole);
    expect(existsSync(readFileSync(file("path"), "utf8").trim())).toBe(false);
  });
});
