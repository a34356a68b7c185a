import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, type Script, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { type Frame, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
afterEach(() => rig.remove());

interface Agent {
  readonly agentId: string;
  readonly state: string;
  readonly status: string;
  readonly tail: readonly string[];
}

/** The session starts these; what each of them answers is the caller's to say. */
const starting = (tasks: readonly object[], child: Script, kind = "explore"): Script =>
  ((request) => {
    const { view } = request;
    if (view.tools.includes("yield")) return (child as (r: typeof request) => ReturnType<typeof turn.text>)(request);
    const isBegun = view.messages.some(({ results }) => results.length > 0);
    return isBegun
      ? turn.text("noted")
      : turn.calls([{ name: "task", id: "t", args: { agent: kind, context: "The goal.", tasks } }]);
  }) as Script;
const yields = (output: string) => turn.calls([{ name: "yield", id: "y", args: { output } }]);
const agentsOf = async (host: Awaited<ReturnType<Setup["start"]>>): Promise<readonly Agent[]> =>
  (await host.data<{ agents: readonly Agent[] }>("get_agents")).agents;
const isAgent = (type: string, fits: (agent: Agent) => boolean) => (frame: Frame) => {
  const { event } = (frame["payload"] ?? {}) as { event?: Frame };
  return event?.type === type && fits(event["agent"] as Agent);
};

describe("RPC: agents", () => {
  it("SA-08 LS-04 get_agents, agent_send and agent_stop show and steer agents; progress carries what they write", async () => {
    const held = gate();
    const assigned = [
      { id: "A", assignment: "be slow", description: "Slow" },
      { id: "B", assignment: "be quick" },
    ];
    rig = await setup({
      script: starting(assigned, (({ view }: { view: { messages: readonly { text: string }[] } }) => {
        const said = JSON.stringify(view.messages);
        if (!said.includes("be slow")) return yields("B is done");
        if (said.includes("carry on")) return yields("A is done");
        return turn.text("the first line\nthe second line ", {
          beforeEvent: (at) => (at > 4 ? held.wait() : undefined),
        });
      }) as Script),
    });
    const host = await rig.start("--permission-mode", "full");
    await host.prompt("go");
    await host.wait(
      "progress",
      isAgent("task:subagent:progress", ({ tail }) => tail.join().includes("the first line")),
    );
    await host.wait(
      "B idle",
      isAgent("task:subagent:lifecycle", ({ agentId, state }) => agentId === "B" && state === "idle"),
    );
    expect(await agentsOf(host)).toMatchObject([
      {
        agentId: "A",
        agent: "explore",
        description: "Slow",
        assignment: "be slow",
        state: "running",
        doing: "Answering",
      },
      { agentId: "B", assignment: "be quick", state: "idle", status: "completed", doing: "", requests: 1 },
    ]);
    expect(await host.ask("agent_send", { agentId: "C", message: "hello" })).toMatchObject({
      success: false,
      error: "There is no agent C; known: A, B.",
    });
    expect(await host.ask("agent_stop", { agentId: "B" })).toMatchObject({
      success: false,
      error: "The agent B is not at work: it is idle.",
    });
    expect(await host.data("agent_stop", { agentId: "A" })).toMatchObject({
      agent: { agentId: "A", state: "idle", status: "failed" },
      output: expect.stringContaining("the user stopped it"),
    });
    const from = host.frames.length;
    expect(await host.data("agent_send", { agentId: "A", message: "carry on" })).toMatchObject({ how: "continued" });
    await host.wait(
      "A done",
      isAgent("task:subagent:lifecycle", ({ agentId, status }) => agentId === "A" && status === "completed"),
      from,
    );
    // What agents write reaches a host as progress only.
    const inner = host.events().filter(({ type }) => type === "task:subagent:event");
    expect(inner.length).toBeGreaterThan(0);
    expect(inner.map(({ event }) => (event as Frame).type)).not.toContain("message_update");
    expect(await host.finish()).toBe(0);
  });

  it("SA-01 MO-06 after abort, the result of an agent begins nothing; the next prompt brings it once", async () => {
    const never = gate();
    rig = await setup({
      script: starting([{ id: "A", assignment: "be slow" }], (() =>
        turn.text("busy", { beforeEvent: () => never.wait() })) as Script),
    });
    const mains = () => rig.server.requests.filter(({ view }) => !view.tools.includes("yield"));
    const host = await rig.start("--permission-mode", "full");
    await host.prompt("go");
    await host.data("abort");
    await host.wait(
      "A ended",
      isAgent("task:subagent:lifecycle", ({ state }) => state === "idle"),
    );
    expect(await host.data("get_state")).toMatchObject({ isStreaming: false });
    await host.prompt("next");
    expect(mains()).toHaveLength(3);
    const said = mains()[2]?.view.messages.map(({ text }) => text) ?? [];
    expect(said.join("\n").split('<agent_result id="A"')).toHaveLength(2);
    expect(await host.finish()).toBe(0);
  });

  it("MO-06 a question about a call of an agent names the agent and its assignment", async () => {
    rig = await setup({
      script: starting(
        [{ id: "A", assignment: "clear the cache" }],
        (({ view }: { view: { messages: readonly { results: readonly object[] }[] } }) =>
          view.messages.some(({ results }) => results.length > 0)
            ? yields("done")
            : turn.calls([{ name: "shell", id: "s", args: { command: "X=1 env true" } }])) as Script,
        "task",
      ),
    });
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    const asked = await host.wait("the question", (frame) => frame["method"] === "confirm" && frame["agentId"] === "A");
    expect(asked["title"]).toBe("Agent A asks: Run X=1 env true?");
    expect(String(asked["message"]).split("\n")[0]).toBe("Agent A: clear the cache");
    host.send({ type: "extension_ui_response", id: asked["id"], confirmed: true });
    await host.wait(
      "A done",
      isAgent("task:subagent:lifecycle", ({ state }) => state === "idle"),
    );
    expect(await host.finish()).toBe(0);
  });

  it("SA-01 SA-08 one that waits for memory says so; stopped before it began, it can still be read; results are no messages of the user", async () => {
    const held = gate();
    const assigned = [
      { id: "A", assignment: "be slow" },
      { id: "B", assignment: "be quick" },
    ];
    rig = await setup({
      script: starting(assigned, (() => ({ ...yields("done"), before: () => held.wait() })) as never),
    });
    await mkdir(rig.box.env["LATHE_HOME"]!, { recursive: true });
    await writeFile(join(rig.box.env["LATHE_HOME"]!, "config.yml"), "limits: { commandMemoryMb: 100000000 }\n");
    const host = await rig.start("--permission-mode", "full");
    await host.prompt("go");
    expect(await agentsOf(host)).toMatchObject([{ agentId: "A" }, { agentId: "B", doing: "Waiting for memory" }]);
    expect(await host.data("agent_stop", { agentId: "B" })).toMatchObject({
      output: expect.stringContaining("the user stopped it\n[It had not started."),
    });
    const from = host.frames.length;
    held.open();
    await host.event("agent_end", from);
    expect(await host.data("get_branch_messages")).toMatchObject({ messages: [{ text: "go" }] });
    const { sessionId } = await host.data<{ sessionId: string }>("get_state");
    expect(await host.finish()).toBe(0);
    const shown = await rig.box.run(["sessions", "show", sessionId, "--agent", "B"]);
    expect(shown.stdout).toMatch(
      /^B ended before it began\. It was given:\n\nYou are B\. Your assignment:\n\nbe quick\n$/,
    );
  });
});
