import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultDeps, NetworkError, textOf } from "@lathe/llm";
import { gate, startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { type AgentEvent, toAgentEvents } from "../../src/contract/events/agent-events.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { CodingAgent } from "../../src/session/headless/coding-agent.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { setUp, testProfile } from "../support/session.ts";

/** The first violation of agent > turn > message | tool_execution, or undefined. */
function bracketError(events: readonly AgentEvent[]): string | undefined {
  const open: string[] = [];
  const calls = new Set<string>();
  for (const event of events) {
    const name = event.type.replace(/_(start|end|update)$/, "");
    if (event.type === "tool_execution_start") calls.add(event.toolCallId);
    else if (event.type === "tool_execution_end" && !calls.delete(event.toolCallId)) return "an end without a start";
    else if (name === "tool_execution" || name.startsWith("auto_")) continue;
    else if (event.type.endsWith("_start")) open.push(name);
    else if (event.type.endsWith("_update") && open.at(-1) !== name) return `${event.type} outside`;
    else if (event.type.endsWith("_end") && open.pop() !== name) return `${event.type} does not match`;
  }
  return open.length + calls.size > 0 ? `still open: ${[...open, ...calls].join(", ")}` : undefined;
}

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe("AgentEvents", () => {
  it("G-06 HD-01 D-082 nest, and the deltas make up the text", async () => {
    const s = setUp({
      script: [
        { text: "looking", reasoning: "hm", calls: [{ name: "echo", args: { a: 1 } }] },
        { text: "all done here" },
      ],
    });
    const agent = new CodingAgent(s.session);
    const events = await collect(agent.prompt("go"));
    expect(bracketError(events)).toBeUndefined();
    const types = events.map((event) => event.type);
    const first = (type: AgentEvent["type"]) => types.indexOf(type);
    expect(first("agent_start")).toBe(0);
    expect(first("turn_start")).toBeLessThan(first("tool_execution_start"));
    expect(first("tool_execution_start")).toBeLessThan(first("tool_execution_end"));
    expect(types.at(-1)).toBe("agent_end");
    const deltas = events.flatMap((event) =>
      event.type === "message_update" && event.assistantMessageEvent.type === "text_delta"
        ? [event.assistantMessageEvent.delta]
        : [],
    );
    expect(deltas.join("")).toBe("lookingall done here");
    const end = events.at(-1)!;
    expect(end.type === "agent_end" && end.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    const turnEnds = events.filter((event) => event.type === "turn_end");
    expect(turnEnds.map((event) => event.toolResults.length)).toEqual([1, 0]);
    await s.finish();
  });

  it("a discarded attempt is closed and marked, the retry bracketed", async () => {
    const s = setUp({ script: [{ text: "half", breakWith: new NetworkError("cut") }, { text: "whole" }] });
    const map = toAgentEvents();
    await s.session.submit("go");
    await s.finish();
    const events = s.events.flatMap((event) => map(event));
    expect(bracketError(events)).toBeUndefined();
    expect(events.filter((event) => event.type === "message_end").map((event) => event.discarded ?? false)).toEqual([
      false,
      true,
      false,
    ]);
    expect(events.filter((event) => event.type.startsWith("auto_retry")).map((event) => event.type)).toEqual([
      "auto_retry_start",
      "auto_retry_end",
    ]);
  });
});

describe("a session that ends inside an input", () => {
  it.each([
    ["while it answers", (kind: string) => kind === "assistant_text_delta"],
    ["while a tool runs", (kind: string) => kind === "tool_call_start"],
  ])("%s: every bracket is closed, so that nobody waits for agent_end for ever", async (_when, isLast) => {
    const s = setUp({ script: [{ text: "look", calls: [{ id: "c1", name: "shell", args: {} }] }, { text: "done" }] });
    await s.session.submit("go");
    await s.finish();
    const cut = s.events.slice(0, s.events.findIndex(({ kind }) => isLast(kind)) + 1);
    const failed = { kind: "session_end", data: { state: "closed", reason: "error" } } as (typeof s.events)[number];
    const map = toAgentEvents();
    const events = [...cut, failed].flatMap((event) => map(event));
    expect(bracketError(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: "agent_end", reason: "error" });
  });
});

describe("CodingAgent", () => {
  it("HD-01 from model, key and directory: real tools in a real folder, two prompts in a row", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lathe-headless-"));
    await using server = await startModelServer({
      script: [
        turn.calls([{ name: "write_file", args: { file_path: "hello.txt", content: "Hello\n" }, id: "c1" }]),
        turn.text("written"),
        turn.text("still here"),
      ],
    });
    const agent = new CodingAgent({
      config: {
        model: "anthropic/claude-opus-4-6",
        apiKey: "secret-key",
        baseUrl: server.baseUrl("anthropic"),
        systemPrompt: "Be brief.",
      },
      workingDirectory: folder,
      deps: defaultDeps({ env: { PATH: process.env["PATH"], HOME: folder } }),
    });
    expect(bracketError(await collect(agent.prompt("make it")))).toBeUndefined();
    expect(readFileSync(join(folder, "hello.txt"), "utf8")).toBe("Hello\n");
    await collect(agent.prompt("and?"));
    expect(textOf(agent.getMessages().at(-1)!)).toBe("still here");
    const { view } = server.requests[0]!;
    expect(view.system).toContain("Be brief.");
    expect(view.system).not.toContain(folder);
    expect(view.messages[0]!.text).toContain(folder);
    await agent.close();
    expect(server.requests.flatMap((request) => request.refused ?? [])).toEqual([]);
  });

  it("D-083 a signal ends one prompt, the next works; a second prompt at once is refused", async () => {
    const s = setUp({ script: [{ text: "x", before: () => new Promise(() => {}) }, { text: "y" }] });
    const agent = new CodingAgent(s.session);
    const controller = new AbortController();
    const first = collect(agent.prompt("one", controller.signal));
    await expect(collect(agent.prompt("two"))).rejects.toThrow("the previous prompt has not ended");
    controller.abort();
    const events = await first;
    expect(events.at(-1)).toMatchObject({ type: "agent_end", reason: "interrupted" });
    expect((await collect(agent.prompt("three"))).at(-1)).toMatchObject({ reason: "completed" });
    await s.finish();
  });

  it("D-083 a prompt that is ended with a follow-up queued does not wait for it", async () => {
    const asked = gate();
    const s = setUp({ script: [{ text: "x", before: () => asked.wait() }, { text: "y" }, { text: "z" }] });
    const agent = new CodingAgent(s.session);
    const controller = new AbortController();
    const first = collect(agent.prompt("one", controller.signal));
    await asked.reached;
    s.session.followUp("later");
    controller.abort();
    expect((await first).at(-1)).toMatchObject({ type: "agent_end", reason: "interrupted" });
    const second = await collect(agent.prompt("two"));
    expect(second.filter((event) => event.type === "agent_end")).toHaveLength(2);
    await s.finish();
  });

  it("a prompt that has ended leaves the agents alone that it started", async () => {
    const release = gate();
    const s = setUp({
      profile: testProfile([spawnAgentTool as unknown as ToolDef]),
      script: (request) => {
        if (textOf(request.messages[1]!) === "child") return { text: "child", before: () => release.wait() };
        const task = { name: "spawn_agent", args: { task: "child" }, id: "s" };
        return request.messages.length === 2 ? { calls: [task] } : { text: "done" };
      },
    });
    const agent = new CodingAgent(s.session);
    await collect(agent.prompt("go"));
    release.open();
    const [child] = s.session.subagents.list();
    const report = await s.session.subagents.wait(child!.agentId, AbortSignal.timeout(60_000));
    expect(report).toMatchObject({ status: "completed", output: "child" });
    await s.finish();
  });

  it("D-084 setMessages and getMessages are inverse, and the model sees them", async () => {
    const s = setUp({ script: [{ text: "a" }, { text: "b" }, { text: "c" }] });
    const agent = new CodingAgent(s.session);
    await collect(agent.prompt("one"));
    const messages = agent.getMessages();
    await collect(agent.prompt("two"));
    agent.setMessages(messages);
    expect(agent.getMessages()).toEqual(messages);
    await collect(agent.prompt("three"));
    expect(s.client.requests[2]!.messages.map(textOf)).toEqual(["You are a test.", "one", "a", "three"]);
    await s.finish();
  });

  it("HD-01 behind an SSE server: a client that goes away ends the prompt", async () => {
    const door = gate();
    await using server = await startModelServer({
      script: [
        turn.text("a long story ".repeat(40), { beforeEvent: (index) => (index === 4 ? door.wait() : undefined) }),
        turn.text("short"),
      ],
    });
    const agent = new CodingAgent({
      config: { model: "anthropic/claude-opus-4-6", apiKey: "key", baseUrl: server.baseUrl("anthropic") },
      workingDirectory: mkdtempSync(join(tmpdir(), "lathe-sse-")),
      deps: defaultDeps({ env: { PATH: process.env["PATH"] } }),
    });
    let ended = (): void => {};
    const gone = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const http = createServer(async (_request, response) => {
      const controller = new AbortController();
      response.on("close", () => controller.abort());
      response.writeHead(200, { "content-type": "text/event-stream" });
      for await (const event of agent.prompt("tell", controller.signal))
        response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
      ended();
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const leave = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`, { signal: leave.signal });
    expect(answer.status).toBe(200);
    await door.reached;
    leave.abort();
    await gone;
    expect(agent.session.state).toBe("idle");
    await server.requests[0]!.finished;
    expect(server.requests[0]!.closedEarly).toBe(true);
    door.open();
    await agent.close();
    http.close();
  });
});
