import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Request } from "@lathe/llm";
import { textOf } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import type { ToolDef } from "../../src/contract/tool.ts";
import { closeAgentTool } from "../../src/tools/builtin/close-agent/index.ts";
import { sendInputTool } from "../../src/tools/builtin/send-input/index.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { grammarError } from "../support/event-grammar.ts";
import { resultText, type ScriptedCall, type ScriptedTurn } from "../support/scripted-client.ts";
import { echo, setUp, testProfile, tool } from "../support/session.ts";

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

describe("child agents", () => {
  it("SB-01 D-045 D-046 D-047 D-049 spawn, shared files, separate histories, result as tool result", async () => {
    const env = new MemoryEnvironment({ files: { "a.txt": "from the parent" } });
    const s = setUp({
      env,
      profile: profile(),
      script: cast({
        parent: [
          call("spawn_agent", { task: "child" }, "s"),
          waitFor("s", "w"),
          call("read", { path: "b.txt" }, "r"),
          { text: "done" },
        ],
        child: [
          call("read", { path: "a.txt" }, "cr"),
          call("write", { path: "b.txt", text: "from the child" }, "cw"),
          { text: "wrote it" },
        ],
      }),
    });
    await s.session.submit("parent");
    await s.finish();
    const last = s.client.requests.at(-1)!;
    expect(JSON.parse(resultText(last, "w"))).toEqual({ output: "wrote it", success: true, turns_used: 3 });
    expect(resultText(last, "r")).toBe("from the child");
    const child = s.client.requests.filter((request) => taskOf(request) === "child");
    expect(resultText(child[1]!, "cr")).toBe("from the parent");
    expect(JSON.stringify(child.at(-1)!.messages)).not.toContain("spawn_agent");
    expect(JSON.stringify(last.messages)).not.toContain("from the parent");
  });

  it("D-048 SB-02 a child at the depth limit has none of the four tools and a forged call errors; depth 2 is configurable", async () => {
    const parts = {
      parent: [call("spawn_agent", { task: "child" }, "s"), waitFor("s", "w"), { text: "done" }],
      child: [call("spawn_agent", { task: "grandchild" }, "forged"), waitOrText, { text: "child done" }],
      grandchild: [{ text: "hello from below" }],
    };
    function waitOrText(request: Request): ScriptedTurn {
      const text = resultText(request, "forged");
      return text.startsWith("{") ? waitFor("forged", "gw")(request) : { text };
    }
    const flat = setUp({ profile: profile(), script: cast(parts) });
    await flat.session.submit("parent");
    await flat.finish();
    const names = (request: Request) => request.tools?.map((definition) => definition.name);
    const child = flat.client.requests.find((request) => taskOf(request) === "child")!;
    expect(names(flat.client.requests[0]!)).toContain("spawn_agent");
    expect(names(child)).toEqual(["read", "write", "echo"]);
    expect(JSON.parse(resultText(flat.client.requests.at(-1)!, "w")).output).toBe("Unknown tool: spawn_agent");

    const deep = setUp({ profile: profile(), script: cast(parts), config: { maxSubagentDepth: 2 } });
    await deep.session.submit("parent");
    await deep.finish();
    expect(deep.client.requests.some((request) => taskOf(request) === "grandchild")).toBe(true);
  });

  it("D-050 send_input revives a finished child, wait repeats its result, close_agent ends it", async () => {
    const s = setUp({
      profile: profile(),
      script: cast({
        parent: [
          call("spawn_agent", { task: "child" }, "s"),
          waitFor("s", "w1"),
          waitFor("s", "w2"),
          (request) => call("send_input", { agent_id: agentIdIn(request, "s"), message: "and now?" }, "i"),
          waitFor("s", "w3"),
          (request) => call("close_agent", { agent_id: agentIdIn(request, "s") }, "x"),
          call("wait", { agent_id: "nobody" }, "n"),
          { text: "done" },
        ],
        child: [{ text: "first" }, { text: "second" }],
      }),
    });
    await s.session.submit("parent");
    await s.finish();
    const last = s.client.requests.at(-1)!;
    expect(resultText(last, "w2")).toBe(resultText(last, "w1"));
    expect(JSON.parse(resultText(last, "w3"))).toEqual({ output: "second", success: true, turns_used: 1 });
    expect(JSON.parse(resultText(last, "x")).status).toBe("completed");
    expect(resultText(last, "n")).toMatch(/^There is no agent nobody; known: \w{8}/);
  });

  it("U-10 max_turns counts from each new input of a child", async () => {
    const s = setUp({
      profile: profile(),
      script: cast({
        parent: [
          call("spawn_agent", { task: "child", max_turns: 1 }, "s"),
          waitFor("s", "w1"),
          (request) => call("send_input", { agent_id: agentIdIn(request, "s"), message: "more" }, "i"),
          waitFor("s", "w2"),
          { text: "done" },
        ],
        child: [{ text: "first" }, { text: "second" }],
      }),
    });
    await s.session.submit("parent");
    await s.finish();
    const last = s.client.requests.at(-1)!;
    expect(["w1", "w2"].map((id) => JSON.parse(resultText(last, id)).output)).toEqual(["first", "second"]);
  });

  it("SB-01 send_input steers a running child", async () => {
    let arrived = (): void => {};
    const steered = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const hold = tool("hold", async () => {
      await steered;
      return "held";
    });
    const s = setUp({
      profile: testProfile([...agentTools, hold]),
      script: cast({
        parent: [
          call("spawn_agent", { task: "child" }, "s"),
          (request) => call("send_input", { agent_id: agentIdIn(request, "s"), message: "hurry" }, "i"),
          (request) => {
            arrived();
            return waitFor("s", "w")(request);
          },
          { text: "done" },
        ],
        child: [call("hold", {}, "h"), (request) => ({ text: `told: ${textOf(request.messages.at(-1)!)}` })],
      }),
    });
    await s.session.submit("parent");
    await s.finish();
    expect(JSON.parse(resultText(s.client.requests.at(-1)!, "w")).output).toBe("told: hurry");
  });

  it("EV-01 K-40 a child's events come along with its id, follow the same grammar, and end before the parent's", async () => {
    const s = setUp({
      profile: profile(),
      script: cast({
        parent: [call("spawn_agent", { task: "child" }, "s"), waitFor("s", "w"), { text: "done" }],
        child: [{ text: "hi" }],
      }),
    });
    await s.session.submit("parent");
    await s.finish();
    const child = s.of("subagent_event").map((event) => event.data.event);
    expect(new Set(child.map((event) => event.agent_id)).size).toBe(1);
    expect(grammarError(child, { ended: true })).toBeUndefined();
    expect(s.kinds().at(-1)).toBe("session_end");
  });

  it("SB-02 two children run side by side; usage of both is part of the parent's", async () => {
    let open = 0;
    let most = 0;
    const both = async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 20));
      open -= 1;
    };
    const s = setUp({
      profile: profile(),
      script: cast({
        parent: [
          {
            calls: [
              { name: "spawn_agent", args: { task: "a" }, id: "s1" },
              { name: "spawn_agent", args: { task: "b" }, id: "s2" },
            ],
          },
          (request) => ({
            calls: ["s1", "s2"].map((id) => ({
              name: "wait",
              args: { agent_id: agentIdIn(request, id) },
              id: `w${id}`,
            })),
          }),
          { text: "done" },
        ],
        a: [{ text: "A", before: both }],
        b: [{ text: "B", before: both }],
      }),
    });
    await s.session.submit("parent");
    await s.finish();
    expect(most).toBe(2);
    expect(s.of("processing_end")[0]?.data.usage.totalTokens).toBe(5 * 120);
    expect(s.session.usage.usage.totalTokens).toBe(5 * 120);
  });

  it("SB-02 D3 a working_dir that is a link out of the parent's directory is refused, one that leads inside is not", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-scope-")));
    for (const name of ["own/sub", "elsewhere"]) mkdirSync(join(root, name), { recursive: true });
    symlinkSync("../elsewhere", join(root, "own/out"));
    symlinkSync("sub", join(root, "own/in"));
    const spawn = (working_dir: string, id: string) => ({
      name: "spawn_agent",
      args: { task: "child", working_dir },
      id,
    });
    const s = setUp({
      env: new LocalEnvironment({ cwd: join(root, "own"), baseEnv: {} }),
      profile: profile(),
      script: cast({
        parent: [{ calls: [spawn("out", "s1"), spawn("in", "s2")] }, { text: "done" }],
        child: [{ text: "fine" }],
      }),
    });
    await s.session.submit("parent");
    await s.finish();
    const ends = new Map(s.of("tool_call_end").map(({ data }) => [data.call_id, data]));
    expect(ends.get("s1")).toMatchObject({ is_error: true, error: expect.stringContaining("must lie inside") });
    expect(ends.get("s2")).toMatchObject({ is_error: false });
    rmSync(root, { recursive: true });
  });
});
