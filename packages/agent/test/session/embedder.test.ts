// A host that does everything it may do, at the worst moment, and some things that it should not.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, defaultDeps } from "@lathe/llm";
import { createProvider } from "@lathe/llm/providers";
import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { CodingAgent } from "../../src/session/headless/coding-agent.ts";
import { createSession } from "../../src/session/headless/create-session.ts";
import type { Session } from "../../src/session/session.ts";
import type { SessionOptions } from "../../src/session/types.ts";
import { resultText } from "../support/scripted-client.ts";
import { type Setup, setUp, testProfile, tool } from "../support/session.ts";

const unprintable = Object.create(null) as object;
const hostile = new Error("x");
Object.defineProperty(hostile, "message", {
  get() {
    throw new Error("a getter that throws");
  },
});
const THROWN: readonly (readonly [string, unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["a text", "plain words"],
  ["a symbol", Symbol("s")],
  ["an object without a prototype", unprintable],
  ["an error whose message throws", hostile],
];

describe("what a host throws", () => {
  it.each(THROWN)("in a tool (%s) is an error result for the model", async (_, thrown) => {
    const fails = tool("fails", () => {
      throw thrown;
    });
    const s = setUp({
      profile: testProfile([fails]),
      script: [{ calls: [{ name: "fails", id: "f" }] }, { text: "on" }],
    });
    const { reason, text } = await s.session.submit("go");
    await s.finish();
    expect([reason, text]).toEqual(["completed", "on"]);
    expect(resultText(s.client.requests[1]!, "f")).toMatch(/^Tool error \(fails\): ./);
  });

  it.each(THROWN)("in onEvent (%s) costs nobody anything", async (_, thrown) => {
    const s = setUp({
      script: [{ text: "done" }],
      onEvent: () => {
        throw thrown;
      },
    });
    expect((await s.session.submit("go")).text).toBe("done");
    await s.finish();
    expect(s.of("error").map(({ data }) => data.code)).toEqual(["listener_failed"]);
  });

  it("in an onEvent that is async is reported once and is no unhandled rejection", async () => {
    const s = setUp({
      script: [{ text: "done" }],
      onEvent: (async () => {
        throw new Error("later");
      }) as SessionOptions["onEvent"] & object,
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.of("error").map(({ data }) => data.message)).toEqual([
      "onEvent threw: later. Further errors from it are not reported.",
    ]);
  });

  it.each(["tier", "summary", "access", "preview"] as const)("in %s of a tool fails that call only", async (part) => {
    const throws = (): never => {
      throw unprintable;
    };
    const odd = tool("odd", () => "fine", { tier: "read", [part]: throws });
    const s = setUp({
      profile: testProfile([odd]),
      middleware: [{ name: "asks", approve: () => (part === "preview" ? { decision: "ask" } : undefined) }],
      script: [{ calls: [{ name: "odd", id: "o" }] }, { text: "on" }],
    });
    expect((await s.session.submit("go")).text).toBe("on");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "o")).toMatch(part === "summary" ? /^fine$/ : /^Tool error \(odd\): ./);
  });

  it("in a tool provider is a warning, and the other tools stay", async () => {
    const provider = {
      tools: () => {
        throw new Error("no connection");
      },
    };
    const s = setUp({ toolProviders: [provider], script: [{ text: "done" }, { text: "again" }] });
    expect((await s.session.submit("go")).text).toBe("done");
    expect((await s.session.submit("more")).text).toBe("again");
    await s.finish();
    expect(s.client.requests[0]?.tools?.map(({ name }) => name)).toEqual(["echo"]);
    expect(s.of("warning").map(({ data }) => data.message)).toEqual([
      "The tools of a provider cannot be listed: no connection.",
    ]);
  });
});

describe("ending", () => {
  const never = (): Promise<never> => {
    reached();
    return new Promise(() => {});
  };
  const hang = tool("hang", (_args, { signal }) => {
    reached();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", reject, { once: true }));
  });
  let reached = (): void => {};

  const WORK: readonly (readonly [string, () => Omit<Parameters<typeof setUp>[0], "profile">])[] = [
    ["a request", () => ({ script: [{ text: "x", before: never }] })],
    ["a tool", () => ({ script: [{ calls: [{ name: "hang", id: "h" }] }] })],
    [
      "a question to the host",
      () => ({
        script: [{ calls: [{ name: "hang", id: "h" }] }],
        middleware: [{ name: "asks", approve: () => ({ decision: "ask" as const }) }],
        onEvent: ({ kind }) => kind === "approval_request" && reached(),
      }),
    ],
    ["the surroundings", () => ({ script: [{ text: "x" }], surroundings: never })],
    ["an input hook", () => ({ script: [{ text: "x" }], middleware: [{ name: "h", onInput: never }] })],
  ];
  const VERBS = ["interrupt", "abort", "close"] as const;

  it.each(WORK.flatMap(([name, make]) => VERBS.map((verb) => [verb, name, make] as const)))(
    "%s during %s settles the input, twice is as good as once, and nothing follows",
    async (verb, _name, make) => {
      const waiting = new Promise<void>((resolve) => {
        reached = resolve;
      });
      const s: Setup = setUp({ profile: testProfile([hang]), ...make() });
      const outcome = s.session.submit("go").then(
        ({ reason }) => reason,
        (error: Error) => error.message,
      );
      await waiting;
      await expect(s.session.submit("meanwhile")).rejects.toThrow("session is busy");
      await Promise.all([s.session[verb](), s.session[verb]()]);
      expect(["interrupted", "aborted", "the input was interrupted"]).toContain(await outcome);
      expect(s.session.state).toBe(verb === "interrupt" ? "idle" : "closed");
      await s.session[verb]();
      await s.finish();
      await expect(s.session.submit("late")).rejects.toThrow("session is closed");
      expect(() => s.session.steer("late")).toThrow("session is closed");
      expect(s.of("session_end")).toHaveLength(1);
    },
  );
});

describe("a host with little", () => {
  it("an option that is undefined is as if it were absent", async () => {
    await using server = await startModelServer({ script: [turn.text("hello"), turn.text("again")] });
    const cwd = mkdtempSync(join(tmpdir(), "lathe-embedder-"));
    const deps = defaultDeps({ env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.baseUrl("anthropic") } });
    const nothing = { client: undefined, env: undefined, profile: undefined, services: { facts: undefined } };
    const config = { maxTurns: undefined, retry: { maxRetries: undefined }, budget: { usd: undefined } };
    const model = "anthropic/claude-opus-4-6";
    const session = await createSession({ model, cwd, deps, ...nothing, config });
    expect(session.config.retry.maxRetries).toBe(2);
    expect((await session.submit("hi")).text).toBe("hello");
    await session.close();
    const agent = new CodingAgent({ config: { model }, workingDirectory: cwd, deps, session: { ...nothing, config } });
    for await (const _ of agent.prompt("hi"));
    expect(agent.session.lastText()).toBe("again");
    await agent.close();
    rmSync(cwd, { recursive: true });
  });

  it("a provider of the host's own is used through the client that the host gives", async () => {
    await using server = await startModelServer({ script: [turn.text("hello")] });
    const deps = defaultDeps({ env: {} });
    const baseUrl = server.baseUrl("openai");
    const acme = createProvider("acme", { api: "openai-completions", baseUrl, apiKey: "unused", deps });
    const client = new Client({ providers: { acme }, deps });
    const session = await createSession({ model: "acme/qwen3-coder", cwd: tmpdir(), client, deps });
    expect((await session.submit("hi")).text).toBe("hello");
    await session.close();
    await client.close();
  });

  it("no HOME and no PATH are no crash; a directory that is not there is refused by name", async () => {
    await using server = await startModelServer({
      script: [turn.calls([{ name: "shell", args: { command: "echo $HOME-" } }]), turn.text("done")],
    });
    const cwd = mkdtempSync(join(tmpdir(), "lathe-embedder-"));
    const deps = defaultDeps({ env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.baseUrl("anthropic") } });
    const model = "anthropic/claude-opus-4-6";
    await expect(createSession({ model, cwd: join(cwd, "gone"), deps })).rejects.toThrow(
      `The working directory ${join(cwd, "gone")} does not exist.`,
    );
    const session = await createSession({ model, cwd, deps });
    const { reason, text } = await session.submit("go");
    expect([reason, text]).toEqual(["completed", "done"]);
    await session.close();
    await session.close();
    rmSync(cwd, { recursive: true });
  });

  it("a host in JavaScript that forgets the model or the directory is told which", async () => {
    const careless = createSession as (options: object) => Promise<Session>;
    const deps = defaultDeps({ env: { ANTHROPIC_API_KEY: "k" } });
    await expect(careless({ cwd: tmpdir(), deps })).rejects.toThrow("the model is missing: give it as provider/id");
    await expect(careless({ model: "anthropic/claude-opus-4-6", deps })).rejects.toThrow(
      "the working directory is missing: give its absolute path",
    );
  });

  it("two sessions in one process share nothing: one is aborted, the other finishes", async () => {
    let release = (): void => {};
    const slow = tool(
      "slow",
      () =>
        new Promise<string>((resolve) => {
          release = () => resolve("slow result");
        }),
    );
    const script = () => [{ calls: [{ name: "slow", id: "same" }] }, { text: "done" }];
    const [one, two] = [
      setUp({ profile: testProfile([slow]), script: script() }),
      setUp({ profile: testProfile([slow]), script: script() }),
    ];
    const first = one.session.submit("a");
    const second = two.session.submit("b");
    await one.session.abort();
    await expect.poll(() => two.kinds()).toContain("tool_call_start");
    release();
    expect([(await first).reason, (await second).reason]).toEqual(["aborted", "completed"]);
    await one.finish();
    await two.finish();
    expect(new Set(two.events.map(({ session_id }) => session_id))).toEqual(new Set([two.session.id]));
  });
});
