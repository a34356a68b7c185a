// What a host can rely on: closed sessions leave nothing open, refusals have codes, and its own mistakes are reported.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { defaultDeps } from "@lathe/llm";
import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { SessionError } from "../../src/contract/session-error.ts";
import { CodingAgent } from "../../src/session/headless/coding-agent.ts";
import { createSession } from "../../src/session/headless/create-session.ts";
import { Session } from "../../src/session/session.ts";
import type { SessionOptions } from "../../src/session/types.ts";
import { resultText } from "../support/scripted-client.ts";
import { setUp, testDeps, testProfile, tool } from "../support/session.ts";

/** Each takes a while: the runner of long tests does all of them. */
const SESSIONS = process.env["LATHE_LONG"] ? 600 : 12;
const openFiles = (): number => readdirSync("/proc/self/fd").length;
const codeOf = async (work: () => unknown): Promise<string | undefined> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof SessionError ? error.code : String(error);
  }
};

it.skipIf(process.platform !== "linux")(
  `${SESSIONS} sessions, opened and closed: as many descriptors are open as at the start`,
  async () => {
    await using server = await startModelServer({ script: () => turn.text("hello") });
    const cwd = mkdtempSync(join(tmpdir(), "lathe-host-"));
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.baseUrl("anthropic") };
    const model = "anthropic/claude-opus-4-6";
    const runSession = async (): Promise<void> => {
      const session = await createSession({
        model,
        cwd,
        deps: defaultDeps({ env }),
        tools: [],
      });
      expect((await session.submit("hi")).text).toBe("hello");
      await session.close();
    };
    const runAgent = async (): Promise<void> => {
      const agent = new CodingAgent({ config: { model }, workingDirectory: cwd, deps: defaultDeps({ env }) });
      for await (const _ of agent.prompt("hi"));
      await agent.close();
    };
    await runSession();
    await runAgent();
    const before = openFiles();
    for (let at = 0; at < SESSIONS - 10; at++) await runSession();
    for (let at = 0; at < 10; at++) await runAgent();
    // Both ends of a connection are in this process; the server sees the end of one a moment later.
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
    rmSync(cwd, { recursive: true });
  },
  120_000,
);

it("what a session refuses its host has a code", async () => {
  const s = setUp({ script: [{ text: "done" }] });
  const running = s.session.submit("go");
  expect(await codeOf(() => s.session.submit("meanwhile"))).toBe("busy");
  await running;
  expect(await codeOf(() => Object.assign(s.session.config, { maxTurns: -1 }))).toBe("config");
  expect(await codeOf(() => Object.assign(s.session.config, { nothing: 1 }))).toBe("config");
  expect(await codeOf(() => Object.assign(s.session.config, { budget: { turnz: 3 } }))).toBe("config");
  expect(await codeOf(() => Object.assign(s.session.config, { retry: { retries: 3 } }))).toBe("config");
  await s.finish();
  expect(await codeOf(() => s.session.submit("late"))).toBe("closed");
  expect(await codeOf(() => s.session.steer("late"))).toBe("closed");
  expect(await codeOf(() => testProfile([tool("a name", () => "x")]))).toBe("tool_name");
  const deps = defaultDeps({ env: { ANTHROPIC_API_KEY: "k" } });
  expect(await codeOf(() => createSession({ model: "opus", cwd: tmpdir(), deps }))).toBe("model");
});

it.each(["profile", "env", "client", "deps"] as const)("SN-01 a session without %s is refused by name", (missing) => {
  const { client, profile, env } = setUp({ script: [] }).session;
  const options = { profile, env, client, deps: testDeps(), [missing]: undefined } as SessionOptions;
  expect(() => new Session(options)).toThrow(`new Session needs ${missing}: `);
});

describe("a hook that decides about calls and returns what is no verdict: the call is not run, and the value is named", () => {
  const NOT_APPROVED = [false, null, 0, "", true, "deny", {}, { decision: "no" }, { decision: "deny", reason: 5 }];
  const BLOCKED = [false, null, 0, "", true, {}, { block: true }, { block: false }, { args: "x" }];
  const CASES = [
    ...NOT_APPROVED.map((value) => ["approve", value] as const),
    ...BLOCKED.map((value) => ["beforeCall", value] as const),
  ];
  it.each(CASES)("%s: %j", async (hook, value) => {
    const s = setUp({
      script: [{ calls: [{ name: "echo", id: "c" }] }, { text: "ok" }],
      middleware: [{ name: "gate", [hook]: () => value }],
    });
    expect((await s.session.submit("go")).reason).toBe("completed");
    await s.finish();
    expect(s.of("tool_call_end").map(({ data }) => data.is_error)).toEqual([true]);
    expect(resultText(s.client.requests[1]!, "c")).toContain(
      `the hook gate failed: it returned ${inspect(value)}, not`,
    );
  });
});

describe("a callback that must answer at once and rejects instead", () => {
  const rejects = (() => Promise.reject(new Error("the host's mistake"))) as () => never;
  const CASES: readonly (readonly [string, Partial<Parameters<typeof setUp>[0]>])[] = [
    ["isQuestion", { isQuestion: rejects }],
    ["priceOf", { priceOf: rejects }],
    ["tools", { toolProviders: [{ tools: rejects }] }],
    ["card", { tools: [tool("odd", () => "ok", { card: rejects })] }],
    ["summary", { tools: [tool("odd", () => "ok", { summary: rejects })] }],
    ["tier", { tools: [tool("odd", () => "ok", { tier: rejects })] }],
  ];
  it.each(CASES)("%s: it is told, and the work goes on", async (name, options) => {
    const s = setUp({ ...options, script: [{ calls: [{ name: "odd", args: {} }] }, { text: "done" }] });
    expect(await s.session.submit("go")).toMatchObject({ reason: "completed", text: "done" });
    await s.finish();
    const told = s.of("warning").map(({ data }) => data.message);
    expect(told.filter((message) => message.includes("the host's mistake")).join("\n")).toContain(name);
  });
});
