import type { Request } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import type { Session } from "../../src/session/session.ts";
import { closeAgentTool } from "../../src/tools/builtin/close-agent/index.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { historyError, journalError } from "../support/history-grammar.ts";
import { resultText, type ScriptedTurn } from "../support/scripted-client.ts";
import { type Setup, setUp, testDeps, testProfile, tool } from "../support/session.ts";

const isLong = Boolean(process.env["LATHE_LONG"]);
/**
 * As many as there are actions, so that each event gets one. An odd number, so that the interrupt mode changes with
 * each event.
 */
const EVERY = isLong ? 1 : 5;

const slow = tool("slow", async (_args, { onOutput, signal }) => {
  onOutput("working", "stdout");
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
  return "done";
});
const act = { ...slow, name: "act", replay: "never" as const, exclusive: true };
const agents = [spawnAgentTool, waitTool, closeAgentTool] as unknown as ToolDef[];

/** Text, parallel calls, a child agent, an approval: one of each. */
function script(request: Request): ScriptedTurn {
  const said = request.messages.filter((message) => message.role === "assistant").length;
  const text = JSON.stringify(request.messages[1]);
  if (text.includes("CHILD")) return said === 0 ? { calls: [{ name: "slow", id: "k0" }] } : { text: "child done" };
  switch (said) {
    case 0:
      return { text: "let me see", reasoning: "hm", calls: [1, 2].map((n) => ({ name: "slow", id: `a${n}` })) };
    case 1:
      return {
        calls: [
          { name: "act", id: "b1" },
          { name: "act", id: "b2" },
          { name: "slow", id: "b3" },
        ],
      };
    case 2:
      return { calls: [{ name: "spawn_agent", args: { task: "CHILD" }, id: "s" }] };
    case 3: {
      const agent = /"agent_id":"(\w+)"/.exec(safeResult(request, "s"))?.[1] ?? "none";
      return { calls: [{ name: "wait", args: { agent_id: agent }, id: "w" }] };
    }
    default:
      return { text: `answer ${said}` };
  }
}

function safeResult(request: Request, callId: string): string {
  try {
    return resultText(request, callId);
  } catch {
    return "";
  }
}

interface Run extends Setup {
  readonly store: MemoryStore;
}

function start(config: { interruptMode: "wait" | "immediate" }, at: number, act_: (session: Session) => void): Run {
  const deps = testDeps();
  const store = new MemoryStore();
  const journal = Journal.create({ id: deps.uuid(), cwd: "/work" }, () => store, {
    blobs: new MemoryBlobs(),
    now: deps.now,
    newId: idSource(deps.random),
  });
  let seen = 0;
  const setup: Setup = setUp({
    deps,
    journal,
    profile: testProfile([slow, act, ...agents]),
    script,
    config,
    middleware: [
      {
        name: "asks",
        approve: ({ callId }) => (callId === "b1" ? { decision: "ask" } : undefined),
      },
    ],
    onEvent: (event) => {
      if (event.kind === "approval_request") {
        queueMicrotask(() => setup.session.answerApproval(event.data.call_id, { decision: "allow", by: "user" }));
      }
      if (event.kind === "subagent_event") return;
      seen += 1;
      if (seen === at) act_(setup.session);
    },
  });
  return { ...setup, store };
}

const ACTIONS: Record<string, (session: Session) => void> = {
  steer: (session) => void session.steer("look here"),
  followUp: (session) => void session.followUp("and then"),
  interrupt: (session) => void session.interrupt(),
  abort: (session) => void session.abort(),
  close: (session) => void session.close(),
};

async function eventsOfPlainRun(): Promise<number> {
  const run = start({ interruptMode: "wait" }, -1, () => {});
  await run.session.submit("go");
  const count = run.events.filter((event) => event.kind !== "subagent_event").length;
  await run.finish();
  return count;
}

describe("race suite", () => {
  it.each(Object.keys(ACTIONS))(
    `%s at every ${isLong ? "" : "fifth "}event of a run leaves a legal history`,
    { timeout: 120_000 },
    async (name) => {
      const total = await eventsOfPlainRun();
      expect(total).toBeGreaterThan(50);
      const problems: string[] = [];
      // The actions begin at different events.
      const first = 2 + (isLong ? 0 : Object.keys(ACTIONS).indexOf(name) % EVERY);
      for (let at = first; at <= total; at += EVERY) {
        const run = start({ interruptMode: at % 2 === 0 ? "wait" : "immediate" }, at, ACTIONS[name]!);
        await run.session.submit("go");
        if (run.session.state !== "closed") {
          if (name === "interrupt") expect(run.session.state).toBe("idle");
          await run.session.submit("go on");
          // A steered parent may have ended without its child.
          for (const { agentId } of run.session.subagents.list()) {
            await run.session.subagents.wait(agentId, AbortSignal.timeout(60_000));
          }
        }
        const found = [
          ...run.client.requests.map((request) => historyError(request.messages.slice(1))),
          journalError(run.session.journal),
        ].filter((problem) => problem !== undefined);
        await run.finish();
        const again = Journal.open(new MemoryStore(run.store.read(0, run.store.size)), {
          blobs: run.session.journal.blobs,
          now: () => 0,
          newId: () => "",
        });
        found.push(...(journalError(again) ?? "").split("\n").filter(Boolean));
        if (JSON.stringify(again.context.messages) !== JSON.stringify(run.session.journal.context.messages)) {
          found.push("the reopened journal tells another history");
        }
        for (const problem of found) problems.push(`${name} at event ${at}: ${problem}`);
      }
      expect(problems).toEqual([]);
    },
  );
});
