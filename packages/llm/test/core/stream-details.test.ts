import { gate, startModelServer, text, thinking, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { AbortError, RequestTimeoutError, type SDKError, StreamError } from "../../src/types/errors.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import { Message } from "../../src/types/message.ts";
import { ANTHROPIC, adapterFor, clientFor, collect, type DialectCase, OPENAI, testClock, testDeps } from "./support.ts";

const request = (one: DialectCase) => ({ model: one.model, messages: [Message.user("hi")] });

describe("stream details", () => {
  it("TM-03 comments every 20 s keep a stream alive for ten minutes of clock", async () => {
    const clock = testClock();
    await using server = await startModelServer({
      script: [
        turn.raw({
          headers: { "content-type": "text/event-stream" },
          chunks: [
            anthropicEvent({ type: "message_start", message: { id: "m", model: "m", usage: {} } }),
            anthropicEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
            ...Array.from({ length: 30 }, () => ": still here\n\n"),
            anthropicEvent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "done" } }),
            anthropicEvent({ type: "content_block_stop", index: 0 }),
            anthropicEvent({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} }),
            anthropicEvent({ type: "message_stop" }),
          ],
          beforeEvent: async (index) => {
            if (index < 2) return;
            await clock.waitForNewTimer(30_000);
            clock.advance(20_000);
          },
        }),
      ],
    });
    const deps = testDeps({ setTimer: clock.setTimer, now: clock.now });
    const events = await collect(clientFor(ANTHROPIC, server, { deps }).stream(request(ANTHROPIC)));
    expect(events.at(-1)?.type).toBe("finish");
    expect(clock.now()).toBeGreaterThanOrEqual(600_000);
  });

  it("TM-03 a stream without its first byte is a timeout of phase firstEvent, and 0 means no limit", async () => {
    const clock = testClock();
    await using server = await startModelServer({
      script: () => turn.text("x", { fault: { kind: "stall", afterEvents: 0 } }),
    });
    const client = clientFor(ANTHROPIC, server, {
      deps: testDeps({ setTimer: clock.setTimer, now: clock.now }),
      timeouts: { connect: 0, request: 0, firstEvent: 77 },
    });
    const outcome = collect(client.stream(request(ANTHROPIC))).catch((error: unknown) => error);
    await clock.waitForTimer(77_000);
    expect(clock.pending).toBe(1);
    clock.advance(77_000);
    expect(await outcome).toMatchObject({ phase: "firstEvent" });
  });

  it("GN-01 leaving while the request is still on its way closes the socket", async () => {
    const held = gate();
    await using server = await startModelServer({ script: [turn.text("late", { before: held.wait })] });
    const iterator = clientFor(ANTHROPIC, server).stream(request(ANTHROPIC))[Symbol.asyncIterator]();
    const first = iterator.next().catch((error: unknown) => error);
    await held.reached;
    await iterator.return?.();
    expect(await first).toBeInstanceOf(AbortError);
    await server.requests[0]?.finished;
    expect(server.requests[0]?.closedEarly).toBe(true);
    held.open();
  });

  it("GN-01 leaving in the middle settles whoever waits for the next event", async () => {
    const held = gate();
    await using server = await startModelServer({
      script: [turn.text("word ".repeat(20), { beforeEvent: (index) => (index > 5 ? held.wait() : undefined) })],
    });
    const iterator = clientFor(ANTHROPIC, server).stream(request(ANTHROPIC))[Symbol.asyncIterator]();
    const seen: Promise<IteratorResult<StreamEvent>>[] = Array.from({ length: 40 }, () => iterator.next());
    await held.reached;
    await seen[0];
    await iterator.return?.();
    expect((await Promise.all(seen)).at(-1)).toEqual({ done: true, value: undefined });
    held.open();
  });

  it("TM-01 TM-03 a credential that never comes holds up neither an abort nor the request limit", async () => {
    const clock = testClock();
    const never = new Promise<never>(() => {});
    const options = { auth: () => never, deps: testDeps({ setTimer: clock.setTimer }), timeouts: { request: 55 } };
    await using server = await startModelServer({ script: [] });
    const adapter = adapterFor(ANTHROPIC, server, options);
    const controller = new AbortController();
    const aborted = adapter
      .complete(request(ANTHROPIC), { signal: controller.signal })
      .catch((error: unknown) => error);
    controller.abort();
    expect(await aborted).toBeInstanceOf(AbortError);
    const late = adapter.stream(request(ANTHROPIC), {})[Symbol.asyncIterator]().next();
    const outcome = late.catch((error: unknown) => error);
    await clock.waitForTimer(55_000);
    clock.advance(55_000);
    expect(await outcome).toMatchObject({ name: "RequestTimeoutError", phase: "request" });
    expect(server.requests).toHaveLength(0);
  });

  it("ER-04 a web page in place of an answer points to the base URL, in both modes", async () => {
    const page = turn.raw({
      headers: { "content-type": "text/html; charset=utf-8" },
      chunks: ["<!doctype html><p>Hi"],
    });
    await using server = await startModelServer({ script: [page, page] });
    const client = clientFor(OPENAI, server);
    const message = "openai: the server answered with a web page; check the base URL.";
    await expect(client.complete(request(OPENAI))).rejects.toThrow(message);
    expect(await failureOf(client.stream(request(OPENAI)))).toMatchObject({ name: "StreamError", message });
  });

  it("TM-03 firstEvent follows request", async () => {
    const clock = testClock();
    await using server = await startModelServer({
      script: () => turn.text("x", { fault: { kind: "stall", afterEvents: 0 } }),
    });
    const deps = testDeps({ setTimer: clock.setTimer, now: clock.now });
    const client = clientFor(OPENAI, server, { deps, timeouts: { request: 300 } });
    const outcome = collect(client.stream(request(OPENAI))).catch((error: unknown) => error);
    await server.waitForRequest(0);
    await clock.waitForTimer(300_000);
    clock.advance(300_000);
    expect(await outcome).toBeInstanceOf(RequestTimeoutError);
  });

  it("TM-01 a stream that happens to end while aborted still counts as aborted", async () => {
    await using server = await startModelServer({ script: [turn.text("short", { chunk: "whole" })] });
    const controller = new AbortController();
    const seen: StreamEvent[] = [];
    for await (const event of clientFor(ANTHROPIC, server).stream(request(ANTHROPIC), { signal: controller.signal })) {
      seen.push(event);
      if (event.type === "text_end") controller.abort();
    }
    const last = seen.at(-1);
    expect(last?.type === "error" && last.error).toBeInstanceOf(AbortError);
    expect(last?.type === "error" && last.partial?.text).toBe("short");
  });

  it("ER-04 a stream without a closing event: finished with a warning if a reason was seen, else StreamError", async () => {
    await using server = await startModelServer({
      script: [
        turn.text("all of it", { fault: { kind: "missing-terminal" } }),
        turn.raw({ headers: { "content-type": "text/event-stream" }, chunks: [": nothing\n\n"] }),
      ],
    });
    const client = clientFor(ANTHROPIC, server);
    const events = await collect(client.stream(request(ANTHROPIC)));
    const last = events.at(-1);
    if (last?.type !== "finish") throw new Error(`ended with ${last?.type}`);
    expect(last.response.text).toBe("all of it");
    expect(last.response.warnings.length).toBeGreaterThan(0);
    await expect(collect(client.stream(request(ANTHROPIC)))).rejects.toThrow(StreamError);
  });

  it("DM-11 a second message_start restarts the message", async () => {
    const start = (id: string) => anthropicEvent({ type: "message_start", message: { id, model: "m", usage: {} } });
    const block = (value: string) =>
      anthropicEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }) +
      anthropicEvent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: value } });
    await using server = await startModelServer({
      script: [
        turn.raw({
          headers: { "content-type": "text/event-stream" },
          chunks: [
            start("a"),
            block("void"),
            start("b"),
            block("kept"),
            anthropicEvent({ type: "content_block_stop", index: 0 }),
            anthropicEvent({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} }),
            anthropicEvent({ type: "message_stop" }),
          ],
        }),
      ],
    });
    const events = await collect(clientFor(ANTHROPIC, server).stream(request(ANTHROPIC)));
    expect(events.map((event) => event.type)).toContain("stream_restart");
    const last = events.at(-1);
    expect(last?.type === "finish" && [last.response.id, last.response.text]).toEqual(["b", "kept"]);
  });

  it("A-031 two text segments are two runs with their own ids", async () => {
    await using server = await startModelServer({
      script: [turn.blocks([text("first"), thinking("hm"), text("second")])],
    });
    const events = await collect(clientFor(ANTHROPIC, server).stream(request(ANTHROPIC)));
    const starts = events.flatMap((event) => (event.type === "text_start" ? [event.textId] : []));
    const ends = events.flatMap((event) => (event.type === "text_end" ? [[event.textId, event.text]] : []));
    expect(new Set(starts).size).toBe(2);
    expect(ends).toEqual([
      [starts[0], "first"],
      [starts[1], "second"],
    ]);
  });

  it("CL-06 50 streams at once each get their own text", async () => {
    await using server = await startModelServer({
      script: (recorded) =>
        turn.text(`answer to ${recorded.body.messages[0].content[0].text}`, {
          deltaChars: 3,
          delayMs: recorded.index % 3,
        }),
    });
    const client = clientFor(ANTHROPIC, server);
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const events = await collect(client.stream({ model: ANTHROPIC.model, messages: [Message.user(`q${index}`)] }));
        const last = events.at(-1);
        return last?.type === "finish" ? last.response.text : last?.type;
      }),
    );
    expect(answers).toEqual(Array.from({ length: 50 }, (_, index) => `answer to q${index}`));
  });

  it("AD-01 a finished stream gives its connection back", async () => {
    await using server = await startModelServer({ script: () => turn.text("again and again") });
    const client = clientFor(ANTHROPIC, server);
    for (let round = 0; round < 5; round++) await collect(client.stream(request(ANTHROPIC)));
    expect(server.openSockets).toBeLessThanOrEqual(2);
  });

  it("AD-01 leaving with the closing event does not cut a connection that is about to be free", async () => {
    const answer = [
      anthropicEvent({ type: "message_start", message: { id: "m", model: "c", usage: {} } }),
      anthropicEvent({ type: "message_delta", delta: { stop_reason: "end_turn" } }),
      anthropicEvent({ type: "message_stop" }),
    ].join("");
    let cut = false;
    let end = () => {};
    const read = [
      Promise.resolve({ done: false as const, value: new TextEncoder().encode(answer) }),
      new Promise<{ done: true; value: undefined }>((resolve) => {
        end = () => resolve({ done: true, value: undefined });
      }),
    ];
    const bytes: AsyncIterator<Uint8Array> = {
      next: () => read.shift() ?? Promise.reject(new Error("read past the end")),
      return: async () => {
        cut = true;
        return { done: true, value: undefined };
      },
    };
    const body = { [Symbol.asyncIterator]: () => bytes };
    const fetch = async () => ({ status: 200, headers: { "content-type": "text/event-stream" }, body });
    const adapter = adapterFor(ANTHROPIC, { baseUrl: () => "http://127.0.0.1:1" }, { deps: testDeps({ fetch }) });
    for await (const event of adapter.stream(request(ANTHROPIC), {})) if (event.type === "finish") break;
    expect(cut).toBe(false);
    end();
  });
});

function anthropicEvent(event: { type: string; [key: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

async function failureOf(events: AsyncIterable<StreamEvent>): Promise<SDKError> {
  try {
    const last = (await collect(events)).at(-1);
    if (last?.type === "error") return last.error;
  } catch (error) {
    return error as SDKError;
  }
  throw new Error("the stream did not fail");
}
