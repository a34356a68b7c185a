// `!command` and `!!command` in a conversation, and commands moved to the background.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { USER_COMMAND, userCommandOf } from "@lathe/agent/session";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { listJobs } from "../src/conversation/commands/jobs.ts";
import { bangCommand } from "../src/conversation/user-shell.ts";
import { conversation, type Talk } from "./conversation-kit.ts";

let c: Talk;
afterEach(async () => {
  await c.talk.close();
  await c.server.close();
});

const recorded = () =>
  [...c.talk.session.journal.entryIds()].flatMap((id) => userCommandOf(c.talk.session.journal.entry(id)) ?? []);

describe("MO-02 a command of the person's own", () => {
  it("what begins with one or two exclamation marks is one, other text is not", async () => {
    c = await conversation();
    expect(bangCommand("!git status")).toEqual({ command: "git status", isSent: true });
    expect(bangCommand("!! ls -l\npwd")).toEqual({ command: "ls -l\npwd", isSent: false });
    expect(bangCommand("look: !important")).toBeUndefined();
    expect(bangCommand("!!! wow")).toBeUndefined();
    expect(() => bangCommand("!")).toThrow("Name a command, such as !git status.");
  });

  it("streams, is recorded with how it ended, and the model reads it with the next message", async () => {
    c = await conversation();
    const chunks: string[] = [];
    const ran = await c.talk.shell.run(bangCommand("!echo hi; echo oops >&2; exit 3")!, {
      onOutput: (chunk) => chunks.push(chunk),
    });
    expect(ran).toMatchObject({
      exitCode: 3,
      cancelled: false,
      timedOut: false,
      output: expect.stringContaining("hi"),
    });
    expect(chunks.join("")).toContain("oops");
    expect(recorded()).toMatchObject([{ command: "echo hi; echo oops >&2; exit 3", exitCode: 3, isSent: true }]);
    c.server.push(turn.text("I see"));
    await c.say("go");
    const { messages } = c.server.requests[0]!.body as { messages: object[] };
    expect(JSON.stringify(messages)).toMatch(/\$ echo hi; .*hi\\n.*exit code: 3/);
    expect(c.server.requests).toHaveLength(1);
  });

  it("with two marks it is recorded, and never sent", async () => {
    c = await conversation();
    await c.talk.shell.run(bangCommand("!!echo private-word")!);
    expect(recorded()).toMatchObject([{ output: "private-word\n", isSent: false }]);
    c.server.push(turn.text("ok"));
    await c.say("go");
    expect(c.lastSent()).not.toContain("private-word");
  });

  it("is cancelled at once with what it started, one at a time, and the session goes on", async () => {
    c = await conversation();
    let started = (): void => {};
    const output = new Promise<void>((resolve) => {
      started = resolve;
    });
    const running = c.talk.shell.run(bangCommand("!echo begun; sleep 600; touch late")!, { onOutput: () => started() });
    await output;
    expect(c.talk.shell.running).toContain("sleep 600");
    await expect(c.talk.shell.run(bangCommand("!true")!)).rejects.toThrow("A command is already running");
    expect(c.talk.shell.cancel()).toBe(true);
    expect(await running).toMatchObject({ cancelled: true, exitCode: null, output: "begun\n" });
    expect([c.talk.shell.running, c.talk.shell.cancel()]).toEqual([undefined, false]);
    expect(existsSync(join(c.root, "late"))).toBe(false);
    expect(c.talk.session.journal.context.messages.at(-1)).toMatchObject({ role: "user" });
  });

  it("runs while the agent works, and what it printed is there with the next step", async () => {
    c = await conversation({ permissionMode: "full" });
    c.server.push(
      turn.calls([{ name: "shell", args: { command: "until [ -e go ]; do sleep 0.02; done; echo model-output" } }]),
      turn.text("done"),
    );
    const answered = c.talk.submit("wait for it");
    await expect.poll(() => c.talk.open.runningCommands.list().length + c.server.requests.length).toBeGreaterThan(0);
    await expect.poll(() => c.talk.session.journal.openIntents().length).toBe(1);
    await c.talk.shell.run(bangCommand("!echo user-output")!);
    writeFileSync(join(c.root, "go"), "");
    await answered;
    const { messages } = c.server.requests.at(-1)!.body as { messages: object[] };
    expect(JSON.stringify(messages)).toContain("user-output");
    expect(JSON.stringify(messages)).toContain("model-output");
  });

  it("long output is bounded for the model, and whole in an artifact", async () => {
    c = await conversation();
    const ran = await c.talk.shell.run(bangCommand("!seq 1 400000")!);
    expect(ran.truncated).toBe(true);
    expect(ran.output.length).toBeLessThan(32_000);
    expect(existsSync(join(c.talk.open.journal.folder!, `${ran.artifact!.id}.shell.log`))).toBe(true);
  });

  it("closing the session ends it", async () => {
    c = await conversation();
    const running = c.talk.shell.run(bangCommand("!sleep 600")!);
    await c.talk.session.close();
    expect(await running).toMatchObject({ cancelled: true });
    expect(recorded()).toHaveLength(1);
    expect(USER_COMMAND).toBe("bashExecution");
  });
});

describe("Ctrl+B: a running command goes to the background", () => {
  const person = { approve: async () => ({ allowed: true }) as never };
  const LONG = "echo begun; until [ -e go ]; do sleep 0.02; done; echo end-of-it";

  const model = "anthropic/claude-sonnet-4-5";

  it("the call ends with what there is, the model is told the job, and reads the rest later", async () => {
    c = await conversation({ permissionMode: "full" }, { model, parts: { person } });
    c.server.push(turn.calls([{ name: "shell", args: { command: LONG } }]), turn.text("I go on meanwhile"));
    const answered = c.talk.submit("run it");
    await expect.poll(() => c.talk.open.runningCommands.list().length).toBe(1);
    await expect.poll(() => c.tail()).toContain("begun");
    expect(c.talk.sendToBackground()).toEqual([LONG]);
    expect((await answered).reason).toBe("completed");
    expect(c.lastSent()).toMatch(/begun/);
    expect(c.lastSent()).toMatch(/job 1/);
    expect(listJobs(c.talk)).toMatchObject([{ id: 1, isRunning: true, status: "running" }]);
    expect(c.talk.sendToBackground()).toEqual([]);

    c.server.push(turn.calls([{ name: "job_output", args: { job_id: 1, wait_ms: 60_000 } }]), turn.text("done"));
    // Asked before the job ends: the report of its end would begin an input of its own.
    const asked = c.say("and?");
    await c.talk.shell.run(bangCommand("!!touch go")!);
    await asked;
    expect(c.lastSent()).toContain("end-of-it");
    await c.say("/jobs");
    expect(c.lines.at(-1)).toMatch(/^ {2}1 {2}exit code: 0, \d+ ms {2}echo begun/);
  });

  it("pressed before the command starts, it takes effect when it does", async () => {
    const pressed: boolean[] = [];
    const approve = async () => {
      expect(c.talk.sendToBackground()).toEqual([]);
      pressed.push(c.talk.open.runningCommands.detachNext());
      return { decision: "allow" as const, by: "user" };
    };
    c = await conversation({ permissionMode: "ask" }, { model, parts: { person: { approve } } });
    c.server.push(turn.calls([{ name: "shell", args: { command: LONG } }]), turn.text("I go on meanwhile"));
    expect((await c.talk.submit("run it")).reason).toBe("completed");
    expect(pressed).toEqual([true]);
    expect(c.lastSent()).toMatch(/job 1/);
    expect(listJobs(c.talk)).toMatchObject([{ id: 1, isRunning: true }]);
    expect(c.talk.open.runningCommands.detachNext()).toBe(false);
    await c.talk.shell.run(bangCommand("!!touch go")!);
  });

  it("pressed before a call that is denied, it does not concern the next command", async () => {
    let isAllowed = false;
    const approve = async () => {
      if (!isAllowed) expect(c.talk.open.runningCommands.detachNext()).toBe(true);
      return { decision: isAllowed ? ("allow" as const) : ("deny" as const), by: "user" };
    };
    c = await conversation({ permissionMode: "ask" }, { parts: { person: { approve } } });
    const call = turn.calls([{ name: "shell", args: { command: "echo waited > file; cat file" } }]);
    c.server.push(call, turn.text("denied"));
    await c.say("run it");
    isAllowed = true;
    c.server.push(call, turn.text("ran"));
    await c.say("run it again");
    expect(c.lastSent()).toContain("exit code: 0");
    expect(listJobs(c.talk)).toEqual([]);
  });

  it("/jobs shows the output and stops a job; a number that is none is said", async () => {
    c = await conversation({ permissionMode: "full" });
    c.server.push(
      turn.calls([{ name: "shell", args: { command: "echo serving; sleep 600", background: true } }]),
      turn.text("started"),
    );
    await c.say("/jobs");
    expect(c.lines).toEqual(["There are no background jobs in this session."]);
    await c.say("serve");
    await expect.poll(() => c.talk.session.beside.jobs?.get(1).handle.read().text).toContain("serving");
    await c.say("/jobs 1");
    expect(c.lines.slice(-2)).toEqual(["serving", "Job 1: running"]);
    await c.say("/jobs stop 1");
    expect(c.lines.at(-1)).toMatch(/^Job 1: (ended by SIGTERM|exit code)/);
    await expect(c.say("/jobs 7")).rejects.toThrow("There is no job 7. See: /jobs");
    await expect(c.say("/jobs away")).rejects.toThrow("Use: /jobs, /jobs <number>, or /jobs stop <number>.");
  });

  it("a command that is not sent there still has its deadline and can be interrupted", async () => {
    c = await conversation({ permissionMode: "full" }, { parts: { person } });
    c.server.push(
      turn.calls([{ name: "shell", args: { command: "echo a; sleep 600", timeout_ms: 200 } }]),
      turn.calls([{ name: "shell", args: { command: "echo b; sleep 600" } }]),
    );
    const answered = c.talk.submit("run them");
    await expect.poll(() => c.server.requests.length).toBe(2);
    expect(c.lastSent()).toContain("timed out after 200ms");
    await expect.poll(() => c.talk.open.runningCommands.list().length).toBe(1);
    c.talk.interrupt();
    expect((await answered).reason).toBe("interrupted");
    expect(listJobs(c.talk)).toEqual([]);
  });
});

it("MO-02 Ctrl+B: a command of the person's own goes on as a job, and the model is told which", async () => {
  const person = { approve: async () => ({ allowed: true }) as never };
  c = await conversation({}, { parts: { person } });
  const chunks: string[] = [];
  const running = c.talk.shell.run(bangCommand("!echo begun; until [ -e go ]; do sleep 0.02; done; echo end-of-it")!, {
    onOutput: (chunk) => chunks.push(chunk),
  });
  await expect.poll(() => chunks.join("")).toBe("begun\n");
  expect(c.talk.sendToBackground()).toHaveLength(1);
  expect(await running).toMatchObject({ jobId: 1, output: "begun\n", exitCode: null, cancelled: false });
  expect(recorded()).toMatchObject([{ jobId: 1, output: "begun\n" }]);
  expect([c.talk.shell.running, listJobs(c.talk)[0]?.status]).toEqual([undefined, "running"]);
  c.server.push(turn.text("I see"));
  await c.say("go");
  expect(JSON.stringify(c.server.requests[0]?.body)).toMatch(/begun.*It continues as job 1/);
  await c.talk.shell.run(bangCommand("!!touch go")!);
  await expect.poll(() => listJobs(c.talk)[0]?.status).toContain("exit code: 0");
});
