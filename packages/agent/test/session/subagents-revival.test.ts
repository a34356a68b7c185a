import { type Request, textOf } from "@lathe/llm";
import { gate } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import type { ChildHeader } from "../../src/contract/journal.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { sendInputTool } from "../../src/tools/builtin/send-input/index.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { journalError } from "../support/history-grammar.ts";
import { resultText, type ScriptedTurn } from "../support/scripted-client.ts";
import { echo, setUp, testDeps, testProfile } from "../support/session.ts";

const profile = () => testProfile([spawnAgentTool, sendInputTool, waitTool, echo] as unknown as ToolDef[]);
const isChild = (request: Request) => textOf(request.messages[1]!) === "child";
const answers = (request: Request) => request.messages.filter((message) => message.role === "assistant").length;
const agentIn = (request: Request): string => JSON.parse(resultText(request, "s")).agent_id;
const spawn: ScriptedTurn = { calls: [{ name: "spawn_agent", args: { task: "child" }, id: "s" }] };
const wait = (request: Request, id: string): ScriptedTurn => ({
  calls: [{ name: "wait", args: { agent_id: agentIn(request) }, id }],
});

describe("a child that is taken up again", () => {
  it("SB-01 two messages to it in one answer both reach it", async () => {
    const send = (request: Request, message: string) => ({
      name: "send_input",
      args: { agent_id: agentIn(request), message },
      id: message,
    });
    const s = setUp({
      profile: profile(),
      script: (request) => {
        if (isChild(request)) return { text: request.messages.slice(-2).map(textOf).join("+") };
        const parts: ((request: Request) => ScriptedTurn)[] = [
          () => spawn,
          () => wait(request, "w1"),
          () => ({ calls: [send(request, "first"), send(request, "second")] }),
          () => wait(request, "w2"),
          () => ({ text: "done" }),
        ];
        return parts[answers(request)]!(request);
      },
    });
    await s.session.submit("parent");
    await s.finish();
    const last = s.client.requests.at(-1)!;
    expect(["first", "second"].map((id) => JSON.parse(resultText(last, id)).status)).toEqual(["running", "running"]);
    expect(JSON.parse(resultText(last, "w2"))).toEqual({ output: "first+second", success: true, turns_used: 1 });
  });

  it("SB-01 what is sent with its last words is its next input, and the parent waits for that", async () => {
    const words = gate();
    const s = setUp({
      profile: profile(),
      script: (request) => {
        if (isChild(request)) {
          return answers(request) === 0
            ? { text: "done, I think", midway: () => words.wait() }
            : { text: `told: ${textOf(request.messages.at(-1)!)}` };
        }
        const parts: ((request: Request) => ScriptedTurn)[] = [
          () => spawn,
          () => ({
            before: () => words.reached,
            calls: [{ name: "send_input", args: { agent_id: agentIn(request), message: "and the tests?" }, id: "i" }],
          }),
          () => {
            words.open();
            return wait(request, "w");
          },
          () => ({ text: "done" }),
        ];
        return parts[answers(request)]!(request);
      },
    });
    await s.session.submit("parent");
    await s.finish();
    expect(JSON.parse(resultText(s.client.requests.at(-1)!, "w"))).toEqual({
      output: "told: and the tests?",
      success: true,
      turns_used: 2,
    });
  });

  it("SB-02 what it spent before the process died is part of the reopened parent's usage, in all its counts", async () => {
    const deps = testDeps();
    const blobs = new MemoryBlobs();
    const journalDeps = { blobs, now: deps.now, newId: idSource(deps.random) };
    const store = new MemoryStore();
    const childStores = new Map<string, MemoryStore>();
    const copyOf = (original: MemoryStore) => new MemoryStore(original.read(0, original.size));
    const subagents = {
      journal: (header: ChildHeader): Journal => {
        const left = childStores.get(header.agentId);
        if (left) return Journal.open(copyOf(left), journalDeps);
        const made = new MemoryStore();
        childStores.set(header.agentId, made);
        return Journal.create({ id: deps.uuid(), ...header }, () => made, journalDeps);
      },
    };
    const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120, cacheReadTokens: 50 };
    let stuck = (): void => {};
    const isStuck = new Promise<void>((resolve) => {
      stuck = resolve;
    });
    const hang = (): Promise<void> => {
      stuck();
      return new Promise(() => {});
    };
    const s = setUp({
      deps,
      subagents,
      journal: Journal.create({ id: "s", cwd: "/work" }, () => store, journalDeps),
      profile: profile(),
      priceOf: () => 1,
      script: (request) => {
        if (isChild(request)) {
          // First run: one answer. Second run: a call, then the process dies.
          if (answers(request) === 0) return { text: "first", usage };
          return answers(request) === 1
            ? { calls: [{ name: "echo", id: "e" }], usage }
            : { text: "", usage, before: hang };
        }
        const parts: ((request: Request) => ScriptedTurn)[] = [
          () => ({ ...spawn, usage }),
          () => ({ ...wait(request, "w1"), usage }),
          () => ({
            calls: [{ name: "send_input", args: { agent_id: agentIn(request), message: "more" }, id: "i" }],
            usage,
          }),
          () => ({ ...wait(request, "w2"), usage }),
        ];
        return parts[answers(request)]!(request);
      },
    });
    void s.session.submit("parent");
    await isStuck;

    const again = setUp({
      deps,
      subagents,
      journal: Journal.open(copyOf(store), journalDeps),
      profile: profile(),
      script: [],
    });
    expect(again.session.subagents.list()).toMatchObject([{ status: "failed", output: "interrupted", turnsUsed: 1 }]);
    expect(again.session.usage).toMatchObject({
      usage: { inputTokens: 600, outputTokens: 120, totalTokens: 720, cacheReadTokens: 300 },
      cost: 6,
      turns: 4,
    });
    again.session.abandonUnfinishedInput();
    expect(journalError(again.session.journal)).toBeUndefined();
    await again.finish();
    await s.finish();
  });
});
