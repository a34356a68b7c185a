import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type ClientDeps, defaultDeps } from "@lathe/llm";
import { createProvider } from "@lathe/llm/providers";
import { startModelServer, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { createSession } from "../../src/session/headless/create-session.ts";
import type { SessionTape } from "../../src/session/replay/log.ts";
import { Recorder, sleepOn } from "../../src/session/replay/record.ts";
import { Replayer } from "../../src/session/replay/replay.ts";
import { Session } from "../../src/session/session.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { tool } from "../support/session.ts";
import { DIALECTS, type Dialect, profileFor } from "../support/wire.ts";

interface Parts {
  readonly deps: ClientDeps;
  readonly aroundExecute: NonNullable<ConstructorParameters<typeof Session>[0]["aroundExecute"]>;
}

function build(dialect: Dialect, baseUrl: string, { deps, aroundExecute }: Parts, prompt = "You are a test.") {
  const store = new MemoryStore();
  const journal = Journal.create({ id: deps.uuid(), cwd: "/work" }, () => store, {
    blobs: new MemoryBlobs(),
    now: deps.now,
    newId: idSource(deps.random),
    sync: "none",
  });
  const provider = createProvider(dialect, { apiKey: "key", baseUrl, deps });
  const dice = tool("dice", async (args) => {
    await new Promise((resolve) => setTimeout(resolve, Number(args["wait"])));
    return `rolled ${Math.random()}`;
  });
  const session = new Session({
    profile: profileFor(dialect, [dice], { buildSystemPrompt: () => prompt }),
    env: new MemoryEnvironment(),
    client: new Client({ providers: { [dialect]: provider }, deps }),
    deps,
    journal,
    aroundExecute,
  });
  const hash = () => createHash("sha256").update(store.read(0, store.size)).digest("hex");
  return { session, hash };
}

it.each(DIALECTS)(
  "a recorded %s run replays offline to the same journal, or says where it diverged",
  async (dialect) => {
    const folder = mkdtempSync(join(tmpdir(), "lathe-replay-"));
    const server = await startModelServer({
      script: [
        turn.calls([9, 6, 3].map((wait) => ({ name: "dice", args: { wait }, id: `c${wait}` }))),
        turn.error(503),
        turn.text("first answer"),
        turn.calls([{ name: "dice", args: { wait: 0 }, id: "d" }]),
        turn.text("second answer"),
      ],
    });
    const recorder = new Recorder(folder);
    const baseUrl = server.baseUrl(dialect);
    const recorded = build(dialect, baseUrl, {
      deps: recorder.deps(defaultDeps({ env: {} })),
      aroundExecute: recorder.aroundExecute,
    });
    recorded.session.config.retry = { ...recorded.session.config.retry, baseDelay: 0.001 };
    await recorder.input(recorded.session, "submit", "roll");
    await recorder.input(recorded.session, "steer", "be quick");
    await recorder.input(recorded.session, "submit", "again");
    const expected = recorded.hash();
    await server.close();

    const again = new Replayer(folder);
    const replayed = build(dialect, baseUrl, {
      deps: again.deps(defaultDeps({ env: {} })),
      aroundExecute: again.aroundExecute,
    });
    replayed.session.config.retry = { ...replayed.session.config.retry, baseDelay: 0.001 };
    await again.run(replayed.session);
    expect(replayed.session.journal.context.messages.length).toBeGreaterThan(8);
    expect(replayed.hash()).toBe(expected);

    const other = new Replayer(folder);
    const changed = build(
      dialect,
      baseUrl,
      { deps: other.deps(defaultDeps({ env: {} })), aroundExecute: other.aroundExecute },
      "You are another test.",
    );
    await expect(other.run(changed.session)).rejects.toThrow(
      /diverged.*request 0 is not the one that was recorded: these fields of its body differ: \w+/,
    );
  },
);

it("calls inside a call are made again by a replay, in their order, and their tools are not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lathe-replay-"));
  let rolled = 0;
  const open = (deps: ClientDeps, baseUrl: string, tape: SessionTape) => {
    const store = new MemoryStore();
    const journal = Journal.create({ id: deps.uuid(), cwd: "/work" }, () => store, {
      blobs: new MemoryBlobs(),
      now: deps.now,
      newId: idSource(deps.random),
      sync: "none",
    });
    const dice = tool("dice", async ({ wait }) => {
      await new Promise((resolve) => setTimeout(resolve, Number(wait)));
      return `rolled ${++rolled} ${Math.random()}`;
    });
    const cup = tool("cup", async (_args, { call }) => {
      const pair = await Promise.all([call("dice", { wait: 6 }), call("dice", { wait: 1 })]);
      return JSON.stringify([...pair, await call("dies", {})].map(({ content }) => content));
    });
    const provider = createProvider("anthropic", { apiKey: "key", baseUrl, deps });
    const session = new Session({
      profile: profileFor("anthropic", [dice, cup]),
      env: new MemoryEnvironment(),
      client: new Client({ providers: { anthropic: provider }, deps }),
      deps,
      journal,
      aroundExecute: tape.aroundExecute,
      aroundAccess: tape.aroundAccess,
      aroundNested: tape.aroundNested,
    });
    return { session, text: () => store.read(0, store.size).toString("utf8") };
  };
  const calls = ["c", "d"].map((id) => ({ name: "cup", args: {}, id }));
  const server = await startModelServer({ script: [turn.calls(calls), turn.text("done")] });
  const recorder = new Recorder(folder);
  const recorded = open(recorder.deps(defaultDeps({ env: {} })), server.baseUrl("anthropic"), recorder);
  await recorder.input(recorded.session, "submit", "roll");
  await server.close();
  expect(rolled).toBe(4);
  expect(recorded.text().match(/"type":"nested_call"/g)).toHaveLength(6);

  const replayer = new Replayer(folder);
  const replayed = open(replayer.deps(defaultDeps({ env: {} })), server.baseUrl("anthropic"), replayer);
  await replayer.run(replayed.session);
  expect(rolled).toBe(4);
  expect(replayed.text()).toBe(recorded.text());
});

it.each([
  ["a recording", (deps: ClientDeps) => deps],
  // They counted waits as timers.
  [
    "a recording of earlier versions",
    (deps: ClientDeps): ClientDeps => ({ ...deps, sleep: (ms, signal) => sleepOn(deps.setTimer, ms, signal) }),
  ],
])("refused connections, the waits between attempts and an interrupt are part of %s", async (_, shape) => {
  const folder = mkdtempSync(join(tmpdir(), "lathe-replay-"));
  const closed = await startModelServer({});
  const baseUrl = closed.baseUrl("anthropic");
  await closed.close();
  const recorder = new Recorder(folder);
  const recorded = build("anthropic", baseUrl, {
    deps: shape(recorder.deps(defaultDeps({ env: {} }))),
    aroundExecute: recorder.aroundExecute,
  });
  const events = recorded.session.events();
  recorded.session.config.retry = { ...recorded.session.config.retry, baseDelay: 0.001, maxRetries: 1 };
  await recorder.input(recorded.session, "submit", "nobody is there");
  // This call waits for an hour and is interrupted in the middle.
  recorded.session.config.retry = { ...recorded.session.config.retry, baseDelay: 3600, maxDelay: 3600 };
  const waiting = new Promise<void>((resolve) => {
    void (async () => {
      for await (const event of events) if (event.kind === "retry" && event.data.delay_ms > 1000) resolve();
    })();
  });
  const second = recorder.input(recorded.session, "submit", "still nobody");
  await waiting;
  await recorder.input(recorded.session, "interrupt");
  await second;

  const replayer = new Replayer(folder);
  const replayed = build("anthropic", baseUrl, {
    deps: replayer.deps(defaultDeps({ env: {} })),
    aroundExecute: replayer.aroundExecute,
  });
  replayed.session.events();
  // Longer waits than recorded; the replay waits for none of them.
  const retry = { baseDelay: 3600, maxDelay: 3600, maxRetries: 1 };
  replayed.session.config.retry = { ...replayed.session.config.retry, ...retry };
  await replayer.run(replayed.session);
  expect(replayed.hash()).toBe(recorded.hash());
});

it("a recording keeps the environment block: replayed in another folder on another day, the same bytes are sent", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lathe-replay-"));
  const [here, elsewhere] = ["here", "elsewhere"].map((name) => mkdtempSync(join(tmpdir(), `lathe-${name}-`)));
  writeFileSync(join(here!, "AGENTS.md"), "Be brief.");
  const common = { model: "anthropic/claude-opus-4-6", apiKey: "key", outputSchema: { type: "integer" } } as const;
  const server = await startModelServer({ script: [turn.text("seven"), turn.text("7")] });
  const recorder = new Recorder(folder);
  const env = { ANTHROPIC_BASE_URL: server.baseUrl("anthropic") };
  const deps = defaultDeps({ env });
  const recorded = await createSession({ ...common, cwd: here!, deps, tape: recorder });
  expect(await recorder.input(recorded, "submit", "how many?")).toMatchObject({ output: 7 });
  await recorded.close();
  await server.close();

  const replayer = new Replayer(folder);
  const tomorrow = { ...deps, now: () => Date.UTC(2030, 0, 1) };
  const replayed = await createSession({ ...common, cwd: elsewhere!, deps: tomorrow, tape: replayer });
  await replayer.run(replayed);
  const sent = await replayed.prefix();
  expect(replayed.lastText()).toBe("7");
  expect(sent.environment).toContain(here);
  expect(sent.systemPrompt).toContain("Be brief.");
  await replayed.close();
});

it("a replay without the recording's baseUrl says where the request goes and where it went", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lathe-replay-"));
  await using server = await startModelServer({ script: [turn.text("recorded")] });
  const baseUrl = server.baseUrl("anthropic");
  const options = {
    model: "anthropic/claude-opus-4-6",
    apiKey: "k",
    cwd: folder,
    tools: [],
    deps: defaultDeps({ env: {} }),
  };
  const recorder = new Recorder(folder);
  const first = await createSession({ ...options, baseUrl, tape: recorder });
  await recorder.input(first, "submit", "go");
  await first.close();

  const same = new Replayer(folder);
  const again = await createSession({ ...options, baseUrl, tape: same });
  await same.run(again);
  expect(again.lastText()).toBe("recorded");
  await again.close();

  const other = new Replayer(folder);
  const elsewhere = await createSession({ ...options, tape: other });
  await expect(other.run(elsewhere)).rejects.toThrow(
    new RegExp(
      `request 0 .*it goes to https://api\\.anthropic\\.com/\\S+ and went to ${baseUrl}\\S+ \\(give .*same model and baseUrl`,
    ),
  );
  await elsewhere.close();
});
