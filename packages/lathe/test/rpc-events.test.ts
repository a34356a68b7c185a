import { call, text, thinking, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Frame, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const order = (events: readonly Frame[], types: readonly string[]): void => {
  let at = -1;
  for (const type of types) {
    const next = events.findIndex((event, i) => i > at && event.type === type);
    expect(next, type).toBeGreaterThan(at);
    at = next;
  }
};

describe("RPC: events", () => {
  it("G-06 LS-04 envelopes count from 1 without gaps, types agree, the brackets stand in order", async () => {
    rig.server.push(
      turn.blocks([thinking("hm"), text("I will look."), call({ name: "shell", args: { command: "echo found it" } })]),
      turn.text("It is done, all of it.", { deltaChars: 3 }),
    );
    const host = await rig.start("--permission-mode", "full");
    await host.prompt("look");
    const envelopes = host.frames.filter(({ type }) => type === "event");
    const { sessionId } = await host.data<{ sessionId: string }>("get_state");
    expect(envelopes.map(({ seq }) => seq)).toEqual(envelopes.map((_, i) => i + 1));
    expect(new Set(envelopes.map(({ frame_id }) => frame_id)).size).toBe(envelopes.length);
    for (const { protocol_version, session_id, payload } of envelopes) {
      expect([protocol_version, session_id]).toEqual([2, sessionId]);
      const { event_type, event } = payload as { event_type: string; event: Frame };
      expect(event_type).toBe(event.type);
    }
    const events = host.events();
    order(events, [
      "agent_start",
      "turn_start",
      "message_start",
      "tool_execution_start",
      "tool_execution_update",
      "tool_execution_end",
      "turn_end",
      "turn_start",
      "message_update",
      "message_end",
      "turn_end",
      "agent_end",
    ]);
    const said = events.flatMap(({ assistantMessageEvent }) => {
      const update = assistantMessageEvent as { type: string; delta: string } | undefined;
      return update?.type === "text_delta" ? [update.delta] : [];
    });
    expect(said.join("")).toBe("I will look.It is done, all of it.");
    expect(await host.data("get_last_assistant_text")).toEqual({ text: "It is done, all of it." });
    expect(await host.finish()).toBe(0);
  });

  it("G-06 G-66 a retry is told, begin and end", async () => {
    rig.server.push(turn.error(529, { retryAfter: 0 }), turn.text("well then"));
    const host = await rig.start();
    await host.prompt("hello");
    order(host.events(), ["agent_start", "auto_retry_start", "auto_retry_end", "message_end", "agent_end"]);
    expect(host.events().find(({ type }) => type === "auto_retry_end")).toMatchObject({ success: true });
    expect(await host.finish()).toBe(0);
  });

  it("G-66 a connection that is cut in the middle of the text is asked again for the whole message", async () => {
    rig.server.push(
      turn.text("half of it and more", { deltaChars: 4, fault: { kind: "cut", at: { events: 6 } } }),
      turn.text("all of it"),
    );
    const host = await rig.start();
    await host.prompt("hello");
    order(host.events(), ["message_update", "auto_retry_start", "auto_retry_end", "message_end", "agent_end"]);
    expect(host.events().filter(({ discarded }) => discarded === true)).toHaveLength(1);
    const { messages } = await host.data<{ messages: { role: string }[] }>("get_messages");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(await host.data("get_last_assistant_text")).toEqual({ text: "all of it" });
    expect(await host.finish()).toBe(0);
  });

  it("G-66 an abort in the middle of a call keeps what was said and done, and leaves no call open", async () => {
    rig.server.push(
      turn.blocks([
        text("I will do both."),
        call({ name: "shell", id: "quick", args: { command: "echo done" } }),
        call({ name: "shell", id: "slow", args: { command: "sleep 60" } }),
      ]),
      turn.text("as you wish"),
    );
    const host = await rig.start("--permission-mode", "full");
    host.send({ type: "prompt", message: "go" });
    await host.wait("the quick one", ({ payload }) => {
      const { event } = (payload ?? {}) as { event?: Frame };
      return event?.type === "tool_execution_end" && String(event["toolCallId"]).startsWith("quick");
    });
    await host.data("abort");
    await host.event("agent_end");
    await host.prompt("and now?");
    // The strict server takes it: every call has its result.
    const said = rig.server.requests[1]?.view.messages.find(({ role }) => role === "assistant");
    expect(said).toMatchObject({ text: "I will do both." });
    expect(rig.server.requests[1]?.result("quick")).toContain("done");
    expect(rig.server.requests[1]?.result("slow")).toContain("interrupted");
    expect(await host.finish()).toBe(0);
  });

  it("G-65 a call whose arguments are cut off is an error that the model reads, not the end of the run", async () => {
    rig.server.push(
      turn.calls([{ name: "write_file", id: "cut", rawArgs: '{"file_path":"a.txt","content":"half' }]),
      turn.text("again then"),
    );
    const host = await rig.start("--permission-mode", "full");
    await host.prompt("write");
    expect(rig.server.requests[1]?.result("cut")).toContain("the arguments are not a JSON object");
    expect(host.events().find(({ type }) => type === "tool_execution_end")).toMatchObject({ isError: true });
    expect(await host.data("get_last_assistant_text")).toEqual({ text: "again then" });
    expect(await host.finish()).toBe(0);
  });

  it("G-06 each session counts for itself; a model that fails is an error event and an end", async () => {
    rig.server.push(turn.error(400, { message: "no such thing" }), turn.text("second"));
    const host = await rig.start();
    await host.prompt("hello");
    expect(await host.event("lathe:error")).toMatchObject({ fatal: false, errorType: "InvalidRequestError" });
    expect(await host.event("agent_end")).toMatchObject({ reason: "error" });
    const { sessionId } = await host.data<{ sessionId: string }>("new_session");
    const from = host.frames.length;
    await host.prompt("again");
    const later = host.frames.slice(from).filter(({ type }) => type === "event");
    expect(later[0]).toMatchObject({ session_id: sessionId, seq: 1 });
    expect(await host.finish()).toBe(0);
  });
});
