// Contract items that need no vendor-specific handling, once more with each dialect of the strict server.
import { turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { defineProfile } from "../../src/tools/profiles/define.ts";
import { FAMILIES } from "../../src/tools/profiles/families.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { tool } from "../support/session.ts";
import { DIALECTS, type Dialect, profileFor, wire } from "../support/wire.ts";

const MODELS: Record<Dialect, string> = {
  openai: "gpt-5.2",
  anthropic: "claude-opus-4-6",
  gemini: "gemini-3-pro-preview",
};
const echo = (n: number) => turn.calls([{ name: "echo", args: { n }, id: `c${n}` }]);

describe.each(DIALECTS)("over %s", (dialect) => {
  it("D-004 two rounds are the limit of an endless caller, and their calls are answered", async () => {
    let n = 0;
    const w = await wire(dialect, () => echo(++n), { config: { maxToolRoundsPerInput: 2 } });
    await w.session.submit("go");
    expect(w.session.state).toBe("idle");
    await w.finish();
    expect(w.server.requests).toHaveLength(2);
    expect(w.of("turn_limit")[0]?.data).toEqual({ round: 2 });
    expect(w.of("tool_call_end")).toHaveLength(2);
  });

  it("D-004 U-01 without a limit all 50 rounds run", async () => {
    let n = 0;
    const w = await wire(dialect, () => (++n <= 50 ? echo(n) : turn.text("done")));
    await w.session.submit("go");
    await w.finish();
    expect(w.of("processing_end")[0]?.data).toMatchObject({ reason: "completed", rounds: 50 });
  });

  it("D-005 the turn limit counts over two inputs", async () => {
    const w = await wire(dialect, [turn.text("one"), echo(1), turn.text("three"), turn.text("never")], {
      config: { maxTurns: 3 },
    });
    await w.session.submit("first");
    await w.session.submit("second");
    await w.session.submit("third");
    await w.finish();
    expect(w.server.requests).toHaveLength(3);
    expect(w.of("turn_limit")[0]?.data).toEqual({ total_turns: 3 });
  });

  it("D-046 D-047 D-050 a child shares files but not history; it is spoken to again, waited for and closed", async () => {
    const env = new MemoryEnvironment();
    await env.writeFile("note.txt", "from the parent");
    let agentId = "";
    const w = await wire(
      dialect,
      ({ view }) => {
        const results = view.messages.flatMap((message) => message.results.map((result) => result.text));
        const inChild = view.messages.some(
          (message) => message.role === "user" && message.text.includes("read the note"),
        );
        if (inChild) {
          if (results.length === 0)
            return turn.calls([{ name: "read_file", args: { file_path: "note.txt" }, id: "k1" }]);
          const again = view.messages.some((message) => message.text.includes("say more"));
          return turn.text(again ? "more" : `read: ${results[0]}`);
        }
        agentId ||= /agent_id["\s:]+([\w-]+)/.exec(results[0] ?? "")?.[1] ?? "";
        const steps = [
          { name: "spawn_agent", args: { task: "read the note" } },
          { name: "wait", args: { agent_id: agentId } },
          { name: "send_input", args: { agent_id: agentId, message: "say more" } },
          { name: "wait", args: { agent_id: agentId } },
          { name: "close_agent", args: { agent_id: agentId } },
        ];
        const step = steps[results.length];
        return step ? turn.calls([{ ...step, id: `p${results.length}` }]) : turn.text("all done");
      },
      { profile: defineProfile(FAMILIES[dialect], { model: MODELS[dialect] }), env },
    );
    await w.session.submit("secret of the parent");
    await w.finish();
    const outputs = w.of("tool_call_end").map((event) => event.data.output ?? "");
    expect(outputs[1]).toContain("read: 1 | from the parent");
    expect(outputs[3]).toContain("more");
    expect(outputs[4]).toContain("completed");
    const ofChild = w.server.requests.filter((request) => !JSON.stringify(request.body).includes('"spawn_agent"'));
    expect(ofChild.length).toBeGreaterThan(0);
    for (const request of ofChild) expect(JSON.stringify(request.view.messages)).not.toContain("secret of the parent");
  });

  it("EV-01 D-051 all 15 kinds are seen in one tour", async () => {
    const chatty = tool("chatty", (_args, { onOutput }) => {
      onOutput("working", "stdout");
      return "done";
    });
    let n = 0;
    const w = await wire(
      dialect,
      () => {
        n++;
        if (n <= 10)
          return turn.blocks([
            { type: "text", text: "again" },
            { type: "call", name: "chatty", id: `c${n}` },
          ]);
        return n === 11 ? turn.text("cut sho", { stop: "length" }) : turn.error(401);
      },
      { profile: profileFor(dialect, [chatty]) },
    );
    w.session.steer("psst");
    await w.session.submit("go");
    await w.session.submit("fails");
    w.session.config.maxTurns = 1;
    await w.session.submit("limited");
    await w.finish();
    const seen = new Set(w.events.map((event) => event.kind));
    const contract = [
      "session_start",
      "session_end",
      "user_input",
      "processing_end",
      "assistant_text_start",
      "assistant_text_delta",
      "assistant_text_end",
      "tool_call_start",
      "tool_call_output_delta",
      "tool_call_end",
      "steering_injected",
      "turn_limit",
      "loop_detection",
      "warning",
      "error",
    ] as const;
    expect(contract.filter((kind) => !seen.has(kind))).toEqual([]);
  });
});
