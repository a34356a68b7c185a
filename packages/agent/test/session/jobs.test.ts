import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gate } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { Session } from "../../src/session/session.ts";
import { jobTool } from "../../src/tools/builtin/job/index.ts";
import { jobOutputTool } from "../../src/tools/builtin/job-output/index.ts";
import { shellTool } from "../../src/tools/builtin/shell/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { isAlive, until } from "../alive.ts";
import { agentProfile, batch, cast, firstText, types, yields } from "../support/agents.ts";
import { type Script, ScriptedClient } from "../support/scripted-client.ts";
import { type SetupOptions, setUp, testDeps, testProfile, watch } from "../support/session.ts";

const tools = [shellTool, jobTool, jobOutputTool] as unknown as ToolDef[];

function place() {
  const folder = mkdtempSync(join(tmpdir(), "lathe-jobs-"));
  const env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH: process.env["PATH"] } });
  return { env, goOn: (name = "go") => writeFileSync(join(folder, name), "") };
}

/** Prints `first`, waits until the file exists, prints `last`. */
const waits = (file = "go", last = "done", first = "started") =>
  `echo ${first}; while [ ! -e ${file} ]; do sleep 0.02; done; echo ${last}`;
const inBackground = (command: string) => ({ calls: [{ name: "shell", args: { command, background: true } }] });
const job = (args: Record<string, never> | object = {}) => ({ calls: [{ name: "job", args: args as never }] });
const start = (options: SetupOptions) => setUp({ profile: testProfile(tools), ...options });

/** Texts of the messages that the request added. */
const added = (client: ScriptedClient, request: number): string =>
  JSON.stringify(client.requests[request]?.messages.slice(client.requests[request - 1]?.messages.length ?? 0));

describe("the end of a background job", () => {
  it("T-BASH-5 T-JOB-1 the model stopped while a job ran: its end is sent to the model by itself, once", async () => {
    const { env, goOn } = place();
    const s = start({
      env,
      config: { jobReports: "run" },
      script: [inBackground(waits()), { text: "I wait." }, { text: "It is done." }, { text: "Next." }],
    });
    await s.session.submit("go");
    expect(s.client.requests).toHaveLength(2);
    goOn();
    await until(() => s.session.lastText() === "It is done." && s.session.state === "idle");
    const news = added(s.client, 2);
    expect(news).toContain('<background_job id=\\"1\\" status=\\"completed\\">');
    expect(news).toContain("started\\ndone\\n[exit code: 0");
    await s.session.submit("and now?");
    expect(added(s.client, 3)).not.toContain("background_job");
    expect(s.of("user_input").map(({ data }) => data.source?.kind)).toEqual([undefined, "job", undefined]);
    await s.finish();
  });

  it("T-JOB-1 a host that gives its own inputs is never overtaken: the report waits for the next one", async () => {
    const { env, goOn } = place();
    const s = start({ env, script: [inBackground(waits()), { text: "I wait." }, { text: "Seen." }] });
    await s.session.submit("go");
    goOn();
    await until(() => s.session.queuedMessages("steering").length === 1);
    expect(s.session.state).toBe("idle");
    await s.session.submit("how is it going?");
    expect(added(s.client, 2)).toContain('status=\\"completed\\"');
    await s.finish();
  });

  it("T-JOB-1 after an interrupt its end begins no input by itself, the next input has it", async () => {
    const { env, goOn } = place();
    const works = gate();
    const working = () => {
      works.open();
      return new Promise<void>(() => {});
    };
    const script = [inBackground(waits()), { text: "", before: working }, { text: "Seen." }];
    const s = start({ env, config: { jobReports: "run" }, script });
    const running = s.session.submit("go");
    await works.wait();
    await s.session.interrupt();
    await running;
    goOn();
    await until(() => s.of("queue_changed").length > 0);
    expect([s.session.state, s.client.requests.length]).toEqual(["idle", 2]);
    await s.session.submit("next");
    expect(added(s.client, 2)).toContain('status=\\"completed\\"');
    await s.finish();
  });

  it("T-JOB-1 it ends while the model works: the next request of the same input has it, and no call is skipped for it", async () => {
    const { env, goOn } = place();
    const s = start({
      env,
      config: { interruptMode: "immediate" },
      script: [
        inBackground(waits()),
        {
          calls: [{ name: "shell", args: { command: "echo not skipped" } }],
          before: async () => {
            goOn();
            await until(() => s.session.queuedMessages("steering").length === 1);
          },
        },
        { text: "Fine." },
      ],
    });
    await s.session.submit("go");
    expect(added(s.client, 2)).toMatch(/not skipped\\n.*background_job/);
    expect(s.of("steering_injected")[0]?.data.source).toEqual({ kind: "job", id: "1" });
    await s.finish();
  });
});

describe("job", () => {
  it("T-JOB-1 polling returns with the first job that ends, then the other; neither is told again", async () => {
    const { env, goOn } = place();
    const s = start({
      env,
      config: { jobReports: "run" },
      script: [
        inBackground(waits("one", "first done")),
        inBackground(waits("two", "second done")),
        { ...job(), before: () => goOn("one") },
        { ...job({ poll: [2] }), before: () => goOn("two") },
        { text: "Both are done." },
        { text: "Nothing new." },
      ],
    });
    await s.session.submit("go");
    expect(added(s.client, 3)).toMatch(
      /## Completed \(1\)\\n### job 1: completed.*first done.*## Still running \(1\)\\n### job 2/,
    );
    expect(added(s.client, 4)).toMatch(/## Completed \(1\)\\n### job 2: completed.*second done/);
    await s.session.submit("more?");
    expect(JSON.stringify(s.client.requests.at(-1)!.messages)).not.toContain("background_job");
    await s.finish();
  });

  it("T-JOB-1 agents are waited for, listed and ended beside commands, and an end that was seen is not told again", async () => {
    const { env, goOn } = place();
    const [one, two] = [gate(), gate()];
    const s = setUp({
      profile: agentProfile(tools as never),
      subagents: { types },
      env,
      config: { jobReports: "run", maxSubagentDepth: 2 },
      script: cast({
        "go on": [
          batch([
            { id: "One", assignment: "first" },
            { id: "Two", assignment: "second" },
          ]),
          { calls: [{ name: "shell", args: { command: waits(), background: true } }] },
          { ...job(), before: () => one.open() },
          job({ list: true }),
          job({ cancel: ["Two", "Nobody"] }),
          { ...job({ poll: [1, "One"] }), before: () => goOn() },
          { text: "done" },
        ],
        first: [{ ...yields("found it"), before: () => one.wait() }],
        second: [{ ...yields("never"), before: () => two.wait() }],
      }),
    });
    await s.session.submit("go on");
    const mine = s.client.requests.filter((request) => firstText(request).includes("go on"));
    const shown = (n: number) => JSON.stringify(mine[n]?.messages.at(-1));
    expect(shown(3)).toMatch(
      /## Completed \(1\)\\n### agent One: completed.*found it.*## Still running \(2\)\\n### job 1/,
    );
    expect(shown(4)).toMatch(/## Jobs \(1\).*## Agents \(2\)\\n### agent One: completed.*### agent Two: running/);
    expect(shown(5)).toMatch(/## Cancelled \(2\)\\n### agent Two: cancelled.*### agent Nobody: not_found/);
    expect(shown(6)).toContain("### agent One: completed");
    expect(JSON.stringify(mine.at(-1)!.messages)).not.toMatch(/"text":"<agent_result/);
    two.open();
    await s.finish();
  });

  it("T-JOB-1 cancelling ends the whole process group at once, and says what it could not cancel", async () => {
    const { env } = place();
    const s = start({
      env,
      script: [
        inBackground("echo pid $$; sleep 60 & echo pid $!; wait"),
        job({ until: "pid \\d+$", wait: 20 }),
        inBackground("true"),
        job({ poll: [2] }),
        job({ cancel: [1, 2, 9] }),
        { text: "ok" },
      ],
    });
    await s.session.submit("go");
    const pids = [...added(s.client, 2).matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
    expect(pids.length).toBeGreaterThan(0);
    expect(pids.filter(isAlive)).toEqual([]);
    const result = added(s.client, 5);
    expect(result).toContain("### job 1: cancelled");
    expect(result).toContain("### job 2: already_completed");
    expect(result).toContain("### job 9: not_found");
    await s.finish();
  });

  it("T-JOB-1 waiting for a line returns when the server says that it is ready, though it runs on", async () => {
    const { env } = place();
    const s = start({
      env,
      script: [
        inBackground("for i in 1 2 3; do echo step $i; sleep 0.05; done; echo listening on 8080; sleep 60"),
        job({ until: "listening on \\d+" }),
        { text: "ready" },
      ],
    });
    await s.session.submit("go");
    expect(added(s.client, 2)).toMatch(/Still running.*step 3\\nlistening on 8080/);
    await s.finish();
  });

  it("T-JOB-1 typing into a command without a terminal, a bad pattern, list with others: one clear line each", async () => {
    const { env } = place();
    const s = start({
      env,
      script: [
        inBackground("sleep 60"),
        job({ send: { id: 1, input: "yes\n" } }),
        job({ until: "(" }),
        job({ list: true, cancel: [1] }),
        job({ list: true }),
        { text: "ok" },
      ],
    });
    await s.session.submit("go");
    expect(added(s.client, 2)).toContain("The input of job 1 is closed.");
    expect(added(s.client, 3)).toContain("`until` is not a regular expression");
    expect(added(s.client, 4)).toContain("`list` goes alone.");
    expect(added(s.client, 5)).toContain("### job 1: running\\n$ sleep 60");
    await s.finish();
  });
});

it("T-JOB-1 T-SUB-3 a job that prints more than memory keeps: the notice names the artifact with all of it", async () => {
  const { env } = place();
  const s = start({
    env,
    script: [inBackground("seq 1 400000"), job({ poll: [1] }), { text: "ok" }],
  });
  await s.session.submit("go");
  const id = Number(/Full output: artifact:\/\/(\d+)/.exec(added(s.client, 2))?.[1]);
  const { bytes } = await s.session.schemes.read(`artifact://${id}`, new AbortController().signal, {
    unit: "lines",
    first: 1,
    last: 3,
  });
  expect(Buffer.from(bytes).toString()).toContain("1\n2\n3");
  await s.finish();
});

it("T-BASH-5 a command that takes long goes to the background by itself, and its end is reported", async () => {
  const { env, goOn } = place();
  const s = start({
    env,
    config: { jobReports: "run", autoBackgroundMs: 300 },
    script: [
      { calls: [{ name: "shell", args: { command: waits() } }] },
      { text: "Meanwhile." },
      { text: "It is done." },
    ],
  });
  await s.session.submit("go");
  expect(added(s.client, 1)).toContain("[This command is taking long. It continues as job 1");
  goOn();
  await until(() => s.session.lastText() === "It is done.");
  expect(added(s.client, 2)).toContain("$ echo started");
  await s.finish();
});

it("T-JOB-1 a session that is opened again says which jobs ended with the earlier process, and gives no number twice", async () => {
  const { env, goOn } = place();
  const deps = testDeps();
  const store = new MemoryStore();
  const journalDeps = { blobs: new MemoryBlobs(), now: deps.now, newId: idSource(deps.random) };
  const open = (script: Script, journal: Journal) => {
    const client = new ScriptedClient(script);
    return watch(new Session({ profile: testProfile(tools), env, client, deps, journal }), client);
  };
  const before = open(
    [inBackground(waits("done-before", "x")), inBackground("sleep 60"), { text: "ok" }],
    Journal.create({ id: "s", cwd: "/" }, () => store, journalDeps),
  );
  await before.session.submit("go");
  goOn("done-before");
  await until(() => before.session.queuedMessages("steering").length === 1);
  await before.finish();
  const after = open(
    [inBackground("true"), { text: "ok" }],
    Journal.open(new MemoryStore(Buffer.from(store.read(0, store.size))), journalDeps),
  );
  await after.session.submit("go on");
  const seen = JSON.stringify(after.client.requests[0]?.messages.slice(-3));
  expect(seen).toContain("has ended, and so have they");
  expect(seen).toContain("job 2: sleep 60");
  expect(seen).not.toContain("job 1:");
  expect(seen).toContain('<background_job id=\\"1\\" status=\\"completed\\">');
  expect(added(after.client, 1)).toContain("Started job 3.");
  expect(after.of("warning").map(({ data }) => data.code)).toContain("jobs_cut");
  await after.finish();
});
