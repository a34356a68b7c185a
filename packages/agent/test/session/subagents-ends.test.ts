import type { Request } from "@lathe/llm";
import { textOf } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { closeAgentTool } from "../../src/tools/builtin/close-agent/index.ts";
import { sendInputTool } from "../../src/tools/builtin/send-input/index.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { resultText, type ScriptedCall, type ScriptedTurn } from "../support/scripted-client.ts";
import { echo, type Setup, setUp, testDeps, testProfile, tool } from "../support/session.ts";

const agentTools = [spawnAgentTool, sendInputTool, waitTool, closeAgentTool] as unknown as ToolDef[];
const read = tool("read", (args, { env }) => env.readFile(String(args["path"])));
const write = tool("write", async (args, { env }) => {
  await env.writeFile(String(args["path"]), String(args["text"]));
  return "written";
});
const profile = () => testProfile([...agentTools, read, write, echo]);

/** The first user message tells which agent's request it is. */
const taskOf = (request: Request) => textOf(request.messages.find((message) => message.role === "user")!);
const answers = (request: Request) => request.messages.filter((message) => message.role === "assistant").length;
const agentIdIn = (request: Request, callId: string): string => JSON.parse(resultText(request, callId)).agent_id;

type Play = (request: Request) => ScriptedTurn;
/** Each conversation has its own script, by task, indexed by how many answers it has had. */
function cast(parts: Record<string, readonly (ScriptedTurn | Play)[]>) {
  return (request: Request): ScriptedTurn => {
    const part = parts[taskOf(request)]?.[answers(request)];
    if (!part) throw new Error(`no part for ${taskOf(request)} ${answers(request)}`);
    return typeof part === "function" ? part(request) : part;
  };
}
const call = (name: string, args: ScriptedCall["args"], id: string): ScriptedTurn => ({
  calls: [{ name, args: args!, id }],
});
const waitFor =
  (spawnCall: string, id: string): Play =>
  (request) =>
    call("wait", { agent_id: agentIdIn(request, spawnCall) }, id);

describe("ends, approvals and journals of child agents", () => {
  it("SB-02 failed on turn limit, on error and when closed before the end", async () => {
    const s = setUp({
      profile: profile(),
      script: cast({
        parent: [
          {
            calls: [
              { name: "spawn_agent", args: { task: "limited", max_turns: 1 }, id: "s1" },
              { name: "spawn_agent", args: { task: "broken" }, id: "s2" },
              { name: "spawn_agent", args: { task: "stuck" }, id: "s3" },
              { name: "spawn_agent", args: { task: "x", working_dir: "/elsewhere" }, id: "s4" },
              { name: "spawn_agent", args: { task: "x", model: "unknown-9" }, id: "s5" },
            ],
          },
          (request) => ({
            calls: [
              { name: "wait", args: { agent_id: agentIdIn(request, "s1") }, id: "w1" },
              { name: "wait", args: { agent_id: agentIdIn(request, "s2") }, id: "w2" },
              { name: "close_agent", args: { agent_id: agentIdIn(request, "s3") }, id: "w3" },
            ],
          }),
          { text: "done" },
        ],
        limited: [call("echo", {}, "e"), { text: "never" }],
        broken: [{ error: new Error("no model today") }],
        stuck: [{ text: "x", before: () => new Promise(() => {}) }],
      }),
    });
    await s.session.submit("parent");
    await s.finish();
    const last = s.client.requests.at(-1)!;
    expect(JSON.parse(resultText(last, "w1"))).toMatchObject({
      success: false,
      output: expect.stringContaining("turn_limit"),
    });
    expect(JSON.parse(resultText(last, "w2"))).toMatchObject({ success: false, output: "no model today" });
    expect(JSON.parse(resultText(last, "w3")).status).toBe("failed");
    expect(resultText(last, "s4")).toContain("must lie inside /work");
    expect(resultText(last, "s5")).toContain('No model "unknown-9"');
  });

  it("an interrupt or abort of the parent reaches the children", async () => {
    const s: Setup = setUp({
      profile: profile(),
      script: cast({
        parent: [call("spawn_agent", { task: "child" }, "s"), waitFor("s", "w")],
        child: [
          {
            text: "x",
            before: () => {
              setImmediate(() => void s.session.interrupt());
              return new Promise(() => {});
            },
          },
        ],
      }),
    });
    await s.session.submit("parent");
    await s.session.subagents.wait(s.session.subagents.list()[0]!.agentId, AbortSignal.timeout(60_000));
    expect(s.session.subagents.list().map((report) => [report.status, report.output])).toEqual([
      ["failed", "interrupted"],
    ]);
    await s.finish();
  });

  it("an approval goes to the agent that asked, also when two calls have the same id", async () => {
    const asked: { agentId: string | undefined; callId: string }[] = [];
    const s: Setup = setUp({
      profile: profile(),
      middleware: [
        { name: "asks", approve: ({ tool: { name } }) => (name === "echo" ? { decision: "ask" } : undefined) },
      ],
      script: cast({
        parent: [
          call("spawn_agent", { task: "child" }, "s"),
          call("echo", {}, "same"),
          waitFor("s", "w"),
          { text: "done" },
        ],
        child: [call("echo", {}, "same"), (request) => ({ text: resultText(request, "same") })],
      }),
      onEvent: (event) => {
        const inner = event.kind === "subagent_event" ? event.data.event : event;
        if (inner.kind !== "approval_request") return;
        asked.push({ agentId: inner.agent_id, callId: inner.data.call_id });
        if (asked.length < 2) return;
        for (const { agentId, callId } of asked) {
          const by = agentId === undefined ? "for the parent" : "for the child";
          const decision = agentId === undefined ? "deny" : "allow";
          queueMicrotask(() => s.session.answerApproval(callId, { decision, by }, agentId));
        }
      },
    });
    await s.session.submit("parent");
    await s.finish();
    const last = s.client.requests.at(-1)!;
    expect(resultText(last, "same")).toBe("Denied by for the parent. The call was not run.");
    expect(JSON.parse(resultText(last, "w")).output).toBe("echo {}");
  });

  it("each child has its own journal, named by its header", async () => {
    const journals: Journal[] = [];
    const deps = testDeps();
    const s = setUp({
      deps,
      profile: profile(),
      subagents: {
        journal: (header) => {
          const journal = Journal.create({ id: deps.uuid(), ...header }, () => new MemoryStore(), {
            blobs: new MemoryBlobs(),
            now: deps.now,
            newId: idSource(deps.random),
          });
          journals.push(journal);
          return journal;
        },
      },
      script: cast({
        parent: [call("spawn_agent", { task: "child" }, "s"), waitFor("s", "w"), { text: "done" }],
        child: [{ text: "hi" }],
      }),
    });
    await s.session.submit("parent");
    expect(journals.map((journal) => journal.header.parentCall)).toEqual(["s"]);
    expect(journals[0]!.header.parentSession).toBe(s.session.id);
    expect(journals[0]!.context.messages.map((message) => textOf(message))).toEqual(["child", "hi"]);
    await s.finish();
  });

  it("a line of the journal that names a child by a path opens no file there", async () => {
    const opened: string[] = [];
    const deps = testDeps();
    const more = { blobs: new MemoryBlobs(), now: deps.now, newId: idSource(deps.random) };
    const journal = Journal.create({ id: "s", cwd: "/" }, () => new MemoryStore(), more);
    for (const agentId of ["../other/session", "a1"]) {
      const data = { agentId, parentSession: "s", parentCall: "c", cwd: "/", for: "f", maxTurns: 0 };
      journal.write({ type: "host", kind: "agent", data });
    }
    const s = setUp({
      deps,
      journal,
      profile: profile(),
      subagents: {
        journal: (header) => {
          opened.push(header.agentId);
          return Journal.create({ id: deps.uuid(), ...header }, () => new MemoryStore(), more);
        },
      },
      script: [],
    });
    expect(s.session.subagents.list().map(({ agentId }) => agentId)).toEqual(["a1"]);
    await s.finish();
    expect(opened).not.toContain("../other/session");
  });
});
