import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventOf, type Frame, type RpcHost, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const one = { data: "iVBORw0KGgo=", mediaType: "image/png" };
const step = { name: "step", description: "One step", parameters: { type: "object" }, tier: "read", exclusive: true };
/** Three calls of one answer that run one after the other in the host. */
const three = () => turn.calls(["A", "B", "C"].map((id) => ({ name: "step", id, args: {} })));
const results = (n: number): (string | undefined)[] =>
  ["A", "B", "C"].map((id) => rig.server.requests[n]?.result(id)?.trim());

/** Answers each call with its own name; the first one after `meanwhile`. */
async function walk(host: RpcHost, meanwhile: () => Promise<unknown>): Promise<void> {
  host.send({ type: "prompt", message: "go" });
  const isCall = (frame: Frame): boolean => frame.type === "host_tool_call";
  await host.wait("the first call", isCall);
  await meanwhile();
  for (let n = 0; ; n++) {
    const ended = host.event("agent_end").then(() => undefined);
    const next = host.wait("a call", () => host.frames.filter(isCall).length > n);
    const call = await Promise.race([ended, next.then(() => host.frames.filter(isCall)[n])]);
    if (!call) return;
    const content = [{ type: "text", text: `done ${String(call["toolCallId"]).split("|")[0]}` }];
    host.send({ type: "host_tool_result", id: call["id"], result: { content } });
  }
}
const texts = (n: number): string => JSON.stringify(rig.server.requests[n]?.body);

describe("RPC: prompting", () => {
  it("LS-01 EX-12 @file inside a message sends the file, also with pictures, but not when sent unchanged", async () => {
    rig.server.push(turn.text("one"), turn.text("two"), turn.text("three"));
    const host = await rig.start();
    writeFileSync(join(rig.box.dir, "a.txt"), "contents of a");
    await host.prompt("explain @a.txt");
    expect(rig.server.requests[0]?.view.messages.at(-1)?.text).toContain("contents of a");
    await host.prompt("again @a.txt", { images: [one] });
    expect(rig.server.requests[1]?.view.messages.at(-1)).toMatchObject({
      images: 1,
      text: expect.stringContaining("contents of a"),
    });
    await host.prompt("as it is: @a.txt", { expandPromptTemplates: false });
    expect(rig.server.requests[2]?.view.messages.at(-1)?.text).not.toContain("contents of a");
    expect(await host.finish()).toBe(0);
  });

  it("G-03 LS-03 steering drops the calls that have not started and reaches the model with the first result", async () => {
    rig.server.push(three(), turn.text("understood"));
    const host = await rig.start();
    await host.data("set_host_tools", { tools: [step] });
    await walk(host, () => host.data("prompt", { message: "stop after A", streamingBehavior: "steer" }));
    expect(results(1)).toEqual(["done A", "skipped: user steered", "skipped: user steered"]);
    expect(texts(1)).toContain("stop after A");
    expect(await host.finish()).toBe(0);
  });

  it("G-03 in mode wait all calls run before the steering text appears", async () => {
    rig.server.push(three(), turn.text("understood"));
    const host = await rig.start();
    await host.data("set_host_tools", { tools: [step] });
    await host.data("set_interrupt_mode", { mode: "wait" });
    await walk(host, () => host.data("steer", { message: "one more thing" }));
    expect(results(1)).toEqual(["done A", "done B", "done C"]);
    expect(texts(1)).toContain("one more thing");
    expect(await host.finish()).toBe(0);
  });

  it("G-03 LS-03 a prompt to a busy agent without a word how to take it is refused, and not confirmed before", async () => {
    const open = gate();
    rig.server.push(turn.text("first", { before: open.wait }), turn.text("second"));
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    await open.reached;
    host.send({ id: "p", type: "prompt", message: "and this" });
    const refusal = await host.wait("the refusal", ({ id, success }) => id === "p" && success === false);
    expect(host.frames.filter(({ id }) => id === "p").map(({ success }) => success)).toEqual([false]);
    expect(refusal["error"]).toContain("streamingBehavior");
    expect((await host.data<{ isStreaming: boolean }>("get_state")).isStreaming).toBe(true);
    open.open();
    await host.event("agent_end");
    expect(rig.server.requests).toHaveLength(1);
    expect(await host.finish()).toBe(0);
  });

  it("G-03 LS-03 a follow-up is an input of its own after the end of the first", async () => {
    const open = gate();
    rig.server.push(turn.text("first", { before: open.wait }), turn.text("second"), turn.text("third"));
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    await open.reached;
    await host.data("follow_up", { message: "then this" });
    await host.data("prompt", { message: "then that", streamingBehavior: "followUp" });
    expect((await host.data<{ queuedMessageCount: number }>("get_state")).queuedMessageCount).toBe(2);
    open.open();
    await host.wait("three ends", () => host.events().filter(({ type }) => type === "agent_end").length === 3);
    expect(texts(0)).not.toContain("then this");
    expect(texts(1)).not.toContain("then that");
    expect(texts(2)).toContain("then that");
    expect(await host.finish()).toBe(0);
  });

  it("G-03 what is steered too late for the answer begins the next one; idle, steering begins at once", async () => {
    const open = gate();
    rig.server.push(turn.text("first", { before: open.wait }), turn.text("second"), turn.text("third"));
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    await open.reached;
    await host.data("steer", { message: "too late" });
    open.open();
    await host.wait("two ends", () => host.events().filter(({ type }) => type === "agent_end").length === 2);
    expect(texts(1)).toContain("too late");
    const from = host.frames.length;
    await host.data("steer", { message: "hello there" });
    await host.event("agent_end", from);
    expect(texts(2)).toContain("hello there");
    expect(await host.finish()).toBe(0);
  });

  it("G-03 abort ends the run, keeps the session usable, and abort_and_prompt replaces the work", async () => {
    const stuck = gate();
    const stuckAgain = gate();
    rig.server.push(
      turn.text("never", { before: stuck.wait }),
      turn.text("never", { before: stuckAgain.wait }),
      turn.text("the answer"),
    );
    const host = await rig.start();
    host.send({ type: "prompt", message: "one" });
    await stuck.reached;
    expect((await host.ask("abort"))["success"]).toBe(true);
    expect(await host.event("agent_end")).toMatchObject({ reason: "interrupted" });
    host.send({ type: "prompt", message: "two" });
    await stuckAgain.reached;
    const from = host.frames.length;
    expect((await host.ask("abort_and_prompt", { message: "three" }))["success"]).toBe(true);
    await host.wait("the new end", (frame) => frame.type === "event" && eventOf(frame)["reason"] === "completed", from);
    expect(await host.data("get_last_assistant_text")).toEqual({ text: "the answer" });
    stuck.open();
    stuckAgain.open();
    expect(await host.finish()).toBe(0);
  });

  it("G-03 images go along, and come back as base64", async () => {
    rig.server.push(turn.text("a picture"));
    const host = await rig.start();
    host.send({ type: "prompt", message: "look", images: [one] });
    await host.event("agent_end");
    expect(texts(0)).toContain(`data:image/png;base64,${one.data}`);
    const { messages } = await host.data<{ messages: { content: unknown[] }[] }>("get_messages");
    expect(messages[0]?.content[1]).toEqual({ kind: "image", image: one });
    expect(await host.finish()).toBe(0);
  });

  it("G-05 abort_retry gives up a request that waits for another try", async () => {
    rig.server.push(turn.error(429, { retryAfter: 50 }));
    const host = await rig.start();
    expect(await host.data("abort_retry")).toEqual({ aborted: false });
    host.send({ type: "prompt", message: "go" });
    await host.event("auto_retry_start");
    expect(await host.data("abort_retry")).toEqual({ aborted: true });
    expect(await host.event("agent_end")).toMatchObject({ reason: "interrupted" });
    await host.data("set_auto_retry", { enabled: false });
    rig.server.push(turn.error(429, { retryAfter: 50 }));
    const from = host.frames.length;
    host.send({ type: "prompt", message: "go" });
    expect(await host.event("agent_end", from)).toMatchObject({ reason: "error" });
    expect(await host.finish()).toBe(0);
  });

  it("LS-02 M1 after kill -9 between two results the session holds everything up to it and no torn line, and continue finishes the input", async () => {
    rig.server.push(three(), turn.text("the rest"));
    const host = await rig.startProcess();
    await host.data("set_host_tools", { tools: [step] });
    const { sessionFile } = await host.data<{ sessionFile: string }>("get_state");
    host.send({ type: "prompt", message: "go" });
    const calls = (): Frame[] => host.frames.filter(({ type }) => type === "host_tool_call");
    for (const n of [0, 1]) {
      await host.wait("a call", () => calls().length > n);
      const result = { content: [{ type: "text", text: `done ${n}` }] };
      host.send({ type: "host_tool_result", id: calls()[n]?.["id"], result });
    }
    await host.wait("the third call", () => calls().length > 2);
    host.child.kill("SIGKILL");
    await new Promise((resolve) => host.child.on("exit", resolve));
    for (const line of readFileSync(sessionFile, "utf8").trimEnd().split("\n")) JSON.parse(line);

    const again = await rig.start("--session", sessionFile);
    const { messages } = await again.data<{ messages: { role: string }[] }>("get_messages");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "tool"]);
    expect(JSON.stringify(messages)).toMatch(/done 0.*done 1.*interrupted/);
    expect(await again.data("get_state")).toMatchObject({ unfinishedInput: true });
    await again.data("continue");
    expect(await again.event("agent_end")).toMatchObject({ reason: "completed" });
    expect(results(1)).toEqual(["done 0", "done 1", expect.stringContaining("interrupted")]);
    expect(await again.data("get_state")).toMatchObject({ unfinishedInput: false });
    expect(await again.ask("continue")).toMatchObject({
      success: false,
      error: "There is no unfinished input. Send a prompt.",
    });
    expect(await again.finish()).toBe(0);
  });

  it("LS-02 a new session ends the work of the old one first and leaves it whole", async () => {
    rig.server.push(three(), turn.text("fresh"), turn.text("gone on"));
    const host = await rig.start();
    await host.data("set_host_tools", { tools: [step] });
    const { sessionFile } = await host.data<{ sessionFile: string }>("get_state");
    host.send({ type: "prompt", message: "go" });
    await host.wait("a call", ({ type }) => type === "host_tool_call");
    await host.data("new_session");
    await host.wait("the cancel", ({ type }) => type === "host_tool_cancel");
    expect(await host.event("agent_end")).toMatchObject({ reason: "aborted" });
    await host.prompt("hello");
    await host.data("switch_session", { sessionPath: sessionFile });
    await host.prompt("and on");
    expect(results(2)).toEqual(Array.from({ length: 3 }, () => expect.stringContaining("interrupted")));
    expect(await host.finish()).toBe(0);
  });

  it("G-03 of two abort_and_prompt at once the last one is run", async () => {
    const door = gate();
    rig.server.push(turn.text("never", { before: door.wait }), turn.text("in the end"));
    const host = await rig.start();
    host.send({ type: "prompt", message: "one" });
    await door.reached;
    host.send({ id: "a", type: "abort_and_prompt", message: "two" });
    host.send({ id: "b", type: "abort_and_prompt", message: "three" });
    await host.wait("the last answer", (frame) => JSON.stringify(frame).includes("in the end"));
    door.open();
    const replies = host.frames.filter(({ type }) => type === "response");
    expect(replies.map(({ success }) => success)).toEqual([true, true, true]);
    expect(rig.server.requests[1]?.view.messages.at(-1)?.text).toContain("three");
    expect(await host.finish()).toBe(0);
  });
});
