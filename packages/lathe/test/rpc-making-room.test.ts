// RPC: what a host can do while a session is compacted, and while the agent works.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { briefing } from "./conversation-kit.ts";
import { eventOf, type Frame, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const refusals = (frames: readonly Frame[]): unknown[] =>
  frames.filter(({ type, success }) => type === "response" && success === false).map(({ error }) => error);

async function settings(text: string): Promise<void> {
  const home = rig.box.env["LATHE_HOME"] ?? "";
  await mkdir(home, { recursive: true });
  await writeFile(join(home, "config.yml"), text);
}

describe("RPC: making room", () => {
  it("G-03 CO-01 abort ends a compaction at once, and what is asked meanwhile is answered", async () => {
    await settings("compaction:\n  remoteEnabled: false\n");
    const stuck = gate();
    rig.server.push(turn.text("word ".repeat(3000)), turn.text("short"), turn.text("never", { before: stuck.wait }));
    const host = await rig.start();
    await host.prompt("tell me everything");
    await host.prompt("briefly");
    host.send({ id: "c", type: "compact" });
    await stuck.reached;
    expect(await host.data("get_state")).toMatchObject({ isCompacting: true, isStreaming: false });
    expect((await host.ask("abort"))["success"]).toBe(true);
    const reply = await host.wait("the reply to compact", ({ id }) => id === "c");
    expect(reply).toMatchObject({ success: false, error: "The context stays as it is: it was interrupted." });
    stuck.open();
    rig.server.push(turn.text("going on"));
    await host.prompt("and now?");
    expect(await host.data("get_last_assistant_text")).toEqual({ text: "going on" });
    expect(await host.finish()).toBe(0);
  });

  it("G-05 the reply to compact says why the context stays as it is", async () => {
    await settings("compaction:\n  remoteEnabled: false\n");
    const host = await rig.start();
    rig.server.push(turn.text("word ".repeat(3000)), turn.text("short"), turn.error(400, { message: "bad thing." }));
    expect(await host.ask("compact")).toMatchObject({
      error: "The context stays as it is: there is nothing to compact.",
    });
    await host.prompt("tell me everything");
    await host.prompt("briefly");
    expect(await host.ask("compact")).toMatchObject({ error: "The context stays as it is: bad thing." });
    expect(host.events().filter(({ type }) => type === "lathe:warning")).toMatchObject([
      { message: "There is nothing to compact." },
      { message: "Compaction failed: bad thing. The context stays as it is." },
    ]);
    expect(await host.finish()).toBe(0);
  });

  it("CO-07 strategy handoff: a prompt after agent_end waits for the briefing and is answered in the new session", async () => {
    await settings("compaction:\n  strategy: handoff\n  thresholdTokens: 1\n");
    const door = gate();
    const host = await rig.start();
    rig.server.push(turn.text("first"), turn.text(briefing("Go."), { before: door.wait }), turn.text("second"));
    await host.prompt("one");
    await door.reached;
    const before = await host.data<{ sessionId: string }>("get_state");
    expect(before).toMatchObject({ isStreaming: false, isCompacting: true });
    await host.data("set_auto_compaction", { enabled: false });
    const from = host.frames.length;
    const confirmed = host.ask("prompt", { message: "two" });
    // While it waits it is in no journal, so it is not confirmed.
    await host.data("get_state");
    expect(host.frames.slice(from).filter(({ command }) => command === "prompt")).toEqual([]);
    door.open();
    expect((await confirmed)["success"]).toBe(true);
    await host.event("agent_end", from);
    const after = await host.data<{ sessionId: string }>("get_state");
    expect(after.sessionId).not.toBe(before.sessionId);
    expect(await host.data("get_last_assistant_text")).toEqual({ text: "second" });
    expect(refusals(host.frames)).toEqual([]);
    expect(await host.finish()).toBe(0);
  });

  it("G-40 fork is refused while the agent works, and the work goes on", async () => {
    const door = gate();
    rig.server.push(turn.text("the answer", { before: door.wait }));
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    await door.reached;
    expect(await host.ask("fork")).toMatchObject({
      success: false,
      error: "The agent is working. Interrupt it first, then try again.",
    });
    door.open();
    const end = await host.wait("the end", (frame) => frame.type === "event" && eventOf(frame).type === "agent_end");
    expect(eventOf(end)).toMatchObject({ reason: "completed" });
    expect(await host.finish()).toBe(0);
  });

  it("SP-03 move_session without a folder is refused", async () => {
    const host = await rig.start();
    expect(await host.ask("move_session", { directory: "" })).toMatchObject({
      success: false,
      error: "The name of the folder is empty. Give one; . is the present one.",
    });
    expect(await host.finish()).toBe(0);
  });
});
