// Calls that a running call makes: judged, journalled and announced like any call, and no part of the conversation.

import { mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { hiddenWork } from "../../src/context/compaction/history.ts";
import { toAgentEvents } from "../../src/contract/events/agent-events.ts";
import type { NestedCallEntry } from "../../src/contract/journal.ts";
import type { Middleware } from "../../src/contract/seams/types.ts";
import type { ToolContext, ToolDef, ToolResult } from "../../src/contract/tool.ts";
import { PathLocks } from "../../src/files/edit/locks.ts";
import { forkJournal } from "../../src/record/journal/fork.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { writeTool } from "../../src/tools/builtin/write/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { type Setup, type SetupOptions, setUp, testDeps, testProfile, tool } from "../support/session.ts";

const textIn = ({ content }: ToolResult): string =>
  content.map((part) => (part.kind === "text" ? part.text : "[image]")).join("\n");

/** The result of a nested call, as text for the model; "!" marks an error. */
const told = (result: ToolResult): string => `${result.isError ? "! " : ""}${textIn(result)}`;

/** The model calls `cell`, which runs `work`; then it answers. */
function nesting(
  work: (context: ToolContext) => Promise<string>,
  { tools = [], cell = {}, ...more }: Partial<SetupOptions> & { tools?: ToolDef[]; cell?: Partial<ToolDef> } = {},
): Setup {
  const outer = tool("cell", (_args, context) => work(context), {
    tier: "exec",
    replay: "never",
    exclusive: true,
    ...cell,
  });
  return setUp({
    script: [{ calls: [{ name: "cell", id: "c", args: { code: "1" } }] }, { text: "done" }],
    profile: testProfile([outer, ...tools]),
    ...more,
  });
}

async function run(s: Setup): Promise<string> {
  await s.session.submit("go");
  await s.finish();
  const result = s.session.journal.context.messages.find(({ role }) => role === "tool");
  const part = result?.content.find(({ kind }) => kind === "tool_result");
  return part?.kind === "tool_result" ? String(part.toolResult.content) : "";
}

const nestedIn = ({ session: { journal } }: Setup): NestedCallEntry[] =>
  [...journal.entryIds()].map((id) => journal.entry(id)).filter((entry) => entry.type === "nested_call");

const answering =
  (s: () => Setup, decide: (tool: string) => "allow" | "deny"): NonNullable<SetupOptions["onEvent"]> =>
  (event) => {
    if (event.kind !== "approval_request") return;
    const { call_id, tool_name } = event.data;
    s().session.answerApproval(call_id, { decision: decide(tool_name), by: "user" });
  };

const asks: Middleware = {
  name: "asks",
  approve: ({ tier }) => (tier === "write" ? { decision: "ask", reason: "It writes." } : undefined),
};

describe("a call inside a call", () => {
  it("writes a real file from an exclusive tool without waiting for its caller, and is judged and recorded like any call", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-nested-")));
    const seen: (string | undefined)[] = [];
    const s: Setup = nesting(
      async ({ call }) => {
        // At the same time: of two exclusive calls one waits for the other, and both for the file's lock.
        const results = await Promise.all(["one", "two"].map((content) => call("write", { path: "a.txt", content })));
        return results.map(told).join("\n");
      },
      {
        tools: [{ ...(writeTool as unknown as ToolDef), exclusive: true }],
        env: new LocalEnvironment({ cwd: folder, baseEnv: {} }),
        services: { pathLocks: new PathLocks() },
        middleware: [asks, { name: "watches", beforeCall: ({ within }) => void seen.push(within?.callId) }],
        onEvent: answering(
          () => s,
          () => "allow",
        ),
      },
    );
    expect(await run(s)).not.toContain("!");
    expect(readFileSync(join(folder, "a.txt"), "utf8").trim()).toBe("two");
    expect(seen).toEqual([undefined, "c", "c"]);

    const entries = nestedIn(s);
    expect(entries).toMatchObject([
      { callId: "c/1", within: "c", tool: "write", arguments: { path: "a.txt", content: "one" }, effects: "done" },
      { callId: "c/2", within: "c", tool: "write" },
    ]);
    expect(entries[0]?.changes?.map(({ path }) => path)).toEqual([join(folder, "a.txt")]);
    const { journal } = s.session;
    expect([...journal.outside("decision")]).toMatchObject([
      { callId: "c/1", within: "c", decision: "allow", by: "user", asked: "It writes." },
      { callId: "c/2", within: "c", decision: "allow" },
    ]);
    const intents = [...journal.outside("intent")].filter(({ effect }) => effect === "tool");
    expect(intents).toMatchObject([{ callId: "c" }, { callId: "c/1", within: "c", tool: "write" }, { callId: "c/2" }]);
    expect(intents[1]?.for).toBe(entries[0]?.id);
    expect(journal.openIntents()).toEqual([]);
    const files = hiddenWork(
      [...journal.entryIds()].map((id) => journal.entry(id)),
      undefined,
    ).files;
    expect(files).toMatchObject([{ path: join(folder, "a.txt"), written: true }]);
  });

  it("is no message: the next request, the history, a fork and headless hosts have the outer call alone", async () => {
    const s = nesting(async ({ call }) => told(await call("look", { at: 1 })), { tools: [tool("look", () => "seen")] });
    expect(await run(s)).toBe("seen");
    const { messages } = s.session.journal.context;
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(JSON.stringify(s.client.requests.at(-1))).not.toContain("c/1");
    expect(s.session.history.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool_results", "assistant"]);
    expect(s.of("tool_call_start").map(({ data }) => [data.call_id, data.nested_in])).toEqual([
      ["c", undefined],
      ["c/1", "c"],
    ]);
    expect(s.of("tool_call_end").map(({ data }) => [data.call_id, data.nested_in, data.output])).toEqual([
      ["c/1", "c", "seen"],
      ["c", undefined, "seen"],
    ]);

    const map = toAgentEvents();
    const mapped = s.events.flatMap((event) => map(event));
    const ends = mapped.filter((event) => event.type === "tool_execution_end");
    expect(ends).toMatchObject([{ toolCallId: "c/1", nestedIn: "c" }, { toolCallId: "c" }]);
    const turn = mapped.find((event) => event.type === "turn_end");
    expect(turn?.type === "turn_end" && turn.toolResults).toHaveLength(1);

    const deps = { blobs: new MemoryBlobs(), now: () => 0, newId: idSource(Math.random) };
    const { journal } = s.session;
    const target = { upTo: journal.leaf, header: { id: "fork", cwd: "/work" }, store: new MemoryStore() };
    const fork = forkJournal(journal, target, deps);
    expect(fork.lossesSoFar).toEqual([]);
    expect(fork.context.messages).toEqual(messages);
  });

  it("what is wrong with it is a result that its caller can read: no such tool, bad arguments, a tool that fails", async () => {
    const strict = tool("strict", () => "ok", {
      schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false },
    });
    const breaks = tool("breaks", () => {
      throw new Error("broken");
    });
    const s = nesting(
      async ({ call }) => {
        const results = [await call("strickt", {}), await call("strict", { n: "x" }), await call("breaks", {})];
        return results.map(told).join("\n---\n");
      },
      { tools: [strict, breaks] },
    );
    const text = await run(s);
    const [unknown, invalid, failed] = text.split("\n---\n");
    expect(unknown).toMatch(/^! .*strickt/);
    expect(invalid).toMatch(/^! Invalid arguments for tool: strict/);
    expect(failed).toBe("! Tool error (breaks): broken");
    expect(nestedIn(s).map(({ tool: name }) => name)).toEqual(["strickt", "strict", "breaks"]);
  });

  it("a question about it names the calling tool and shows the inner call; denied it stays denied, and is asked about once", async () => {
    let ran = 0;
    const write = tool("write", () => `wrote ${++ran}`, {
      tier: "write",
      access: () => [{ kind: "write", path: "/srv/a" }],
    });
    const s: Setup = nesting(
      async ({ call }) => {
        const results = [await call("write", { to: "a" }), await call("write", { to: "a" })];
        return results.map(told).join("\n");
      },
      {
        tools: [write],
        cell: { label: "Cell", summary: () => "first cell" },
        middleware: [asks],
        onEvent: answering(
          () => s,
          () => "deny",
        ),
      },
    );
    expect(await run(s)).toBe(Array(2).fill("! Denied by user. The call was not run.").join("\n"));
    expect(ran).toBe(0);
    const questions = s.of("approval_request");
    expect(questions).toHaveLength(1);
    expect(questions[0]?.data).toMatchObject({
      call_id: "c/1",
      nested_in: "c",
      tool_name: "write",
      arguments: { to: "a" },
      access: [{ kind: "write", path: "/srv/a" }],
      preview: [{ text: "Called by Cell: first cell" }, { text: "to: a" }],
    });
  });

  it("a call that is interrupted interrupts the one that it waits for, and says what both had done", async () => {
    const waits = tool(
      "waits",
      (_args, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      {
        replay: "never",
        summary: () => "for ever",
      },
    );
    const s: Setup = nesting(
      async ({ call, signal }) => {
        await call("look", {});
        await call("waits", {});
        signal.throwIfAborted();
        return "went ahead";
      },
      {
        tools: [waits, tool("look", () => "seen", { summary: () => "here" })],
        onEvent: (event) => {
          if (event.kind === "tool_call_start" && event.data.tool_name === "waits")
            setImmediate(() => void s.session.interrupt());
        },
      },
    );
    const text = await run(s);
    expect(text).toContain("effects unknown");
    expect(text).toContain("- look here: done\n- waits for ever: [interrupted, effects unknown");
    expect(nestedIn(s).map(({ settled }) => settled)).toEqual([undefined, "interrupted"]);
  });

  it("a call that ends does not leave one behind, and can make none afterwards", async () => {
    let late: ToolContext["call"] | undefined;
    const ended: string[] = [];
    const waits = tool(
      "waits",
      (_args, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    const s = nesting(
      async ({ call }) => {
        late = call;
        void call("waits", {}).then((result) => ended.push(told(result)));
        return "went ahead";
      },
      { tools: [waits] },
    );
    expect(await run(s)).toBe("went ahead");
    expect(ended).toEqual(["! [interrupted before this call finished]"]);
    expect(told((await late?.("waits", {})) as ToolResult)).toBe("! Not run. The outer call has ended.");
    expect(nestedIn(s)).toHaveLength(1);
  });

  it("does not go on for ever: a tool that calls itself is stopped four calls deep", async () => {
    const self = tool("self", async (_args, { call }) => `in ${told(await call("self", {}))}`, { exclusive: true });
    const s = nesting(async ({ call }) => told(await call("self", {})), { tools: [self] });
    expect(await run(s)).toBe("in in in in ! Not run. Calls may be at most 4 levels deep.");
    expect(nestedIn(s).map(({ callId }) => callId)).toEqual(["c/1/2/3/4", "c/1/2/3", "c/1/2", "c/1"]);
  });

  it("waits for an exclusive call of the same answer that is not its caller", async () => {
    const running: string[] = [];
    let free = () => {};
    const busy = new Promise<void>((resolve) => {
      free = resolve;
    });
    const alone = tool(
      "alone",
      async ({ who }) => {
        running.push(`${who} begins`);
        if (who === "model") await busy;
        running.push(`${who} ends`);
        return "ok";
      },
      { exclusive: true },
    );
    const outer = tool("cell", async (_args, { call }) => {
      const nested = call("alone", { who: "cell" });
      setImmediate(free);
      return told(await nested);
    });
    const s = setUp({
      script: [
        {
          calls: [
            { name: "alone", id: "a", args: { who: "model" } },
            { name: "cell", id: "c" },
          ],
        },
        { text: "done" },
      ],
      profile: testProfile([alone, outer]),
    });
    await s.session.submit("go");
    await s.finish();
    expect(running).toEqual(["model begins", "model ends", "cell begins", "cell ends"]);
  });

  it("its time is not its caller's: a user who takes long to answer does not end the caller", async () => {
    const deps = testDeps();
    const timers: { ms: number; fire: () => void; isOn: boolean }[] = [];
    const write = tool("write", () => "wrote", { tier: "write" });
    const s: Setup = nesting(async ({ call }) => told(await call("write", {})), {
      tools: [write],
      cell: { timeoutMs: 7000 },
      middleware: [asks],
      deps: {
        ...deps,
        setTimer: (callback, ms) => {
          const timer = { ms, fire: callback, isOn: true };
          timers.push(timer);
          const real = deps.setTimer(callback, ms);
          return {
            cancel: () => {
              timer.isOn = false;
              real.cancel();
            },
          };
        },
      },
      onEvent: (event) => {
        if (event.kind !== "approval_request") return;
        for (const timer of timers) if (timer.ms === 7000 && timer.isOn) timer.fire();
        s.session.answerApproval(event.data.call_id, { decision: "allow", by: "user" });
      },
    });
    expect(await run(s)).toBe("wrote");
    expect(timers.filter(({ ms }) => ms === 7000)).not.toEqual([]);
  });

  it("its caller gets all of it where the model would get a part, and the journal has what a result has", async () => {
    const long = Array.from({ length: 9000 }, (_, n) => `line ${n}`).join("\n");
    const s = nesting(
      async ({ call }) => {
        const result = await call("prints", {});
        return `${textIn(result) === long} ${result.artifact?.id} ${JSON.stringify(result.details)}`;
      },
      { tools: [tool("prints", () => ({ content: [{ kind: "text", text: long }], details: { n: 1 } }))] },
    );
    expect(await run(s)).toMatch(/^true 0 \{"n":1,/);
    const [entry] = nestedIn(s);
    expect(JSON.stringify(entry?.message).length).toBeLessThan(long.length);
    expect(entry).toMatchObject({ artifact: { id: 0 }, details: { n: 1 } });
  });
});
