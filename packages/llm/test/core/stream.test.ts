import { type Fault, gate, startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { AbortError, NetworkError, RequestTimeoutError, type SDKError } from "../../src/types/errors.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import { Message } from "../../src/types/message.ts";
import { ALL, clientFor, collect, type DialectCase, OVER_FETCH, testClock, testDeps } from "./support.ts";

const request = (one: DialectCase) => ({ model: one.model, messages: [Message.user("hi")] });

describe.each([...ALL, ...OVER_FETCH])("streams of $provider over $transport", (one) => {
  it("GN-01 A-012 A-029 A-030 the stream of a turn ends in the Response that complete gives", async () => {
    const answer = turn.text("Hello wörld 😀", { usage: { input: 11, output: 7 } });
    // One server each, because ids count answers.
    await using server = await startModelServer({ script: [answer] });
    await using other = await startModelServer({ script: [answer] });
    const whole = await clientFor(one, server).complete(request(one));
    const events = await collect(clientFor(one, other).stream(request(one)));
    const last = events.at(-1);
    if (last?.type !== "finish") throw new Error(`ended with ${last?.type}`);
    const { raw: _, usage, ...streamed } = last.response;
    const { raw: __, usage: wholeUsage, ...complete } = whole;
    expect(streamed).toEqual(complete);
    expect(withoutRaw(usage)).toEqual(withoutRaw(wholeUsage));
    const joined = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : [])).join("");
    expect(joined).toBe(whole.text);
    expect(events[0]).toMatchObject({ type: "stream_start", model: whole.model });
    expect(last).toMatchObject({ finishReason: { reason: "stop" }, usage: { inputTokens: 11, outputTokens: 7 } });
  });

  it("GN-01 an iterable that is never read sends nothing", async () => {
    await using server = await startModelServer();
    clientFor(one, server).stream(request(one));
    expect(server.requests).toHaveLength(0);
  });

  it("GN-01 a refusal throws on the first next, in both modes, and is not retried", async () => {
    await using server = await startModelServer({ script: [turn.error(401), turn.error(503)] });
    const client = clientFor(one, server);
    const iterator = client.stream(request(one))[Symbol.asyncIterator]();
    await expect(iterator.next()).rejects.toMatchObject({ name: "AuthenticationError" });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    await expect(client.complete(request(one))).rejects.toMatchObject({ name: "ServerError" });
    expect(server.requests).toHaveLength(2);
  });

  it("GN-01 A-071 a reset after deltas closes the blocks and ends in an error with the partial text", async () => {
    const held = gate();
    await using server = await startModelServer({
      script: [
        turn.text("one two three four", { deltaChars: 4, fault: { kind: "cut", at: { events: lateEvent(one) } } }),
      ],
    });
    held.open();
    const events = await collect(clientFor(one, server).stream(request(one)));
    const last = events.at(-1);
    if (last?.type !== "error") throw new Error(`ended with ${last?.type}`);
    expect(last.error).toBeInstanceOf(NetworkError);
    expect(events.at(-2)?.type).toBe("text_end");
    expect("one two three four".startsWith(last.partial?.text ?? "?")).toBe(true);
    expect(last.partial?.text).not.toBe("");
    expect(last.partial?.finishReason.reason).toBe("error");
    expect(server.requests).toHaveLength(1);
  });

  it("GN-01 leaving the loop early closes the socket", async () => {
    const held = gate();
    await using server = await startModelServer({
      script: [turn.text("word ".repeat(50), { beforeEvent: (index) => (index > 4 ? held.wait() : undefined) })],
    });
    for await (const event of clientFor(one, server).stream(request(one))) if (event.type === "text_delta") break;
    await server.requests[0]?.finished;
    expect(server.requests[0]?.closedEarly).toBe(true);
    held.open();
  });

  it.each<readonly [string, Fault, string, boolean]>([
    ["an overload event", { kind: "stream-error", afterEvents: 3, error: "overloaded" }, "ServerError", true],
    ["a cut stream", { kind: "cut", at: "inside-json" }, "NetworkError", true],
  ])("ER-04 %s ends the stream with its class", async (_, fault, name, retryable) => {
    await using server = await startModelServer({
      script: [turn.text("some words to stream", { deltaChars: 3, fault })],
    });
    const error = await failureOf(clientFor(one, server).stream(request(one)));
    // Ollama's error is a sentence without a code.
    const expected = one.dialect === "ollama" && name === "ServerError" ? "ProviderError" : name;
    expect([error.name, error.retryable]).toEqual([expected, retryable]);
  });

  it("ER-04 a garbage line is a StreamError", async () => {
    await using server = await startModelServer({
      script: [turn.text("some words to stream", { deltaChars: 3, fault: { kind: "malformed", beforeEvent: 3 } })],
    });
    const error = await failureOf(clientFor(one, server).stream(request(one)));
    expect([error.name, error.retryable]).toEqual(["StreamError", true]);
  });

  it("ER-04 DM-11 a duplicate terminal event changes nothing", async () => {
    await using server = await startModelServer({
      script: [turn.text("twice", { fault: { kind: "duplicate-terminal" } })],
    });
    const events = await collect(clientFor(one, server).stream(request(one)));
    expect(events.filter((event) => event.type === "finish")).toHaveLength(1);
  });

  it("GN-01 an endless stream can be left, and its socket is closed", async () => {
    await using server = await startModelServer({ script: [turn.text("and on ", { fault: { kind: "endless" } })] });
    let deltas = 0;
    for await (const event of clientFor(one, server).stream(request(one)))
      if (event.type === "text_delta" && ++deltas > 200) break;
    await server.requests[0]?.finished;
    expect(server.requests[0]?.closedEarly).toBe(true);
  });

  it("TM-01 A-034 an abort during the stream ends it with AbortError and closes the socket", async () => {
    const held = gate();
    await using server = await startModelServer({
      script: [
        turn.text("word ".repeat(20), { deltaChars: 5, beforeEvent: (index) => (index > 5 ? held.wait() : undefined) }),
      ],
    });
    const controller = new AbortController();
    const events: StreamEvent[] = [];
    for await (const event of clientFor(one, server).stream(request(one), { signal: controller.signal })) {
      events.push(event);
      if (event.type === "text_delta") controller.abort();
    }
    const last = events.at(-1);
    if (last?.type !== "error") throw new Error(`ended with ${last?.type}`);
    expect(last.error).toBeInstanceOf(AbortError);
    await server.requests[0]?.finished;
    expect(server.requests[0]?.closedEarly).toBe(true);
    held.open();
  });

  it("TM-01 A-034 an abort before the start sends nothing; one during complete closes the socket", async () => {
    const held = gate();
    await using server = await startModelServer({ script: [turn.text("late", { before: held.wait })] });
    const client = clientFor(one, server);
    await expect(client.complete(request(one), { signal: AbortSignal.abort() })).rejects.toThrow(AbortError);
    expect(server.requests).toHaveLength(0);
    const controller = new AbortController();
    const outcome = client.complete(request(one), { signal: controller.signal });
    const failed = expect(outcome).rejects.toThrow(AbortError);
    await held.reached;
    controller.abort();
    await failed;
    await server.requests[0]?.finished;
    expect(server.requests[0]?.closedEarly).toBe(true);
    held.open();
  });

  it("TM-03 silence after a delta is a timeout of phase streamRead", async () => {
    const clock = testClock();
    await using server = await startModelServer({
      script: [turn.text("one two three", { deltaChars: 4, fault: { kind: "stall", afterEvents: lateEvent(one) } })],
    });
    const client = clientFor(one, server, { deps: testDeps({ setTimer: clock.setTimer, now: clock.now }) });
    const iterator = client.stream(request(one))[Symbol.asyncIterator]();
    let result = await iterator.next();
    while (!result.done && result.value.type !== "text_delta") result = await iterator.next();
    const error = await new Promise<SDKError>((resolve) => {
      const pump = async () => {
        for (let next = await iterator.next(); !next.done; next = await iterator.next())
          if (next.value.type === "error") resolve(next.value.error);
      };
      void pump();
      void clock.waitForTimer(30_000).then(() => clock.advance(30_000));
    });
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect((error as RequestTimeoutError).phase).toBe("streamRead");
    await server.requests[0]?.finished;
    expect(server.requests[0]?.closedEarly).toBe(true);
  });

  it("TM-03 headers that never come are a timeout of phase request", async () => {
    const clock = testClock();
    const held = gate();
    await using server = await startModelServer({ script: () => turn.text("late", { before: held.wait }) });
    const client = clientFor(one, server, { deps: testDeps({ setTimer: clock.setTimer, now: clock.now }) });
    for (const call of [() => client.complete(request(one)), () => collect(client.stream(request(one)))]) {
      const outcome = call().catch((error: unknown) => error);
      await server.waitForRequest(server.requests.length);
      clock.advance(120_000);
      expect(await outcome).toMatchObject({ name: "RequestTimeoutError", phase: "request" });
    }
    held.open();
  });
});

/** An event index by which every dialect has sent some but not all of its text. */
function lateEvent(one: DialectCase): number {
  return one.dialect === "responses" ? 6 : one.dialect === "anthropic" || one.dialect === "bedrock" ? 4 : 3;
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

function withoutRaw({ raw: _, ...usage }: { raw?: unknown }) {
  return usage;
}
