import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StreamAccumulator } from "../../src/stream/accumulate.ts";
import { Blocks } from "../../src/stream/blocks.ts";
import { parsePartialJson } from "../../src/stream/partial-json.ts";
import { throttle } from "../../src/stream/throttle.ts";
import { ServerError } from "../../src/types/errors.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import type { JsonValue } from "../../src/types/json.ts";
import { grammarViolation } from "./support.ts";

const LONG = process.env["LATHE_LONG"] !== undefined;

function recorder(signal?: AbortSignal) {
  const events: StreamEvent[] = [];
  let serial = 0;
  const sink = new Blocks({
    provider: "p",
    model: "asked",
    origin: { provider: "p", model: "asked" },
    newId: () => `u${++serial}`,
    emit: (event) => events.push(event),
    ...(signal === undefined ? {} : { signal }),
  });
  return { events, sink };
}

type Step = (sink: Blocks) => void;
const keys = fc.constantFrom("0", "1", "2");
const fragments = fc.constantFrom("", "a", '{"x":', "1}", "€");
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>((sink) => sink.start({ id: "r1", model: "m1" })),
  fc.tuple(keys, fragments).map(
    ([key, delta]): Step =>
      (sink) =>
        sink.text(key, delta),
  ),
  keys.map(
    (key): Step =>
      (sink) =>
        sink.endText(key),
  ),
  fc.tuple(keys, fragments).map(
    ([key, text]): Step =>
      (sink) =>
        sink.endText(key, { text }),
  ),
  fc.tuple(keys, fragments).map(
    ([key, delta]): Step =>
      (sink) =>
        sink.reasoning(key, delta),
  ),
  keys.map(
    (key): Step =>
      (sink) =>
        sink.endReasoning(key, { signature: "s" }),
  ),
  keys.map(
    (key): Step =>
      (sink) =>
        sink.toolCall(key, { id: `v${key}` }),
  ),
  keys.map(
    (key): Step =>
      (sink) =>
        sink.toolCall(key, { name: "read" }),
  ),
  fc.tuple(keys, fragments).map(
    ([key, text]): Step =>
      (sink) =>
        sink.toolArguments(key, text),
  ),
  keys.map(
    (key): Step =>
      (sink) =>
        sink.endToolCall(key, { arguments: '{"y":2}' }),
  ),
  fc.constant<Step>((sink) => sink.unknown({ type: "future" })),
  fc.constant<Step>((sink) => sink.providerEvent({ type: "note" })),
  fc.constant<Step>((sink) => sink.restart({ id: "r2" })),
);

describe("block bookkeeping", () => {
  it("AD-04 DM-11 thousands of random call sequences never break the grammar", () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 30 }), fc.boolean(), (sequence, fails) => {
        const { events, sink } = recorder();
        sink.start({});
        for (const step of sequence) step(sink);
        if (fails) sink.fail(new ServerError("late", { provider: "p" }));
        else sink.finish();
        for (const step of sequence) step(sink);
        sink.finish();
        expect(grammarViolation(events)).toBeUndefined();
        const accumulator = new StreamAccumulator("p");
        for (const event of events) accumulator.process(event);
        const last = events.at(-1);
        expect(accumulator.response()).toEqual(last?.type === "finish" ? last.response : sinkPartial(last));
      }),
      { numRuns: LONG ? 100_000 : 1_000 },
    );
  });

  it("GN-04 the accumulator gives the partial with reason other until the end", () => {
    const accumulator = new StreamAccumulator("p");
    const { events, sink } = recorder();
    sink.start({ id: "r1", model: "m1" });
    sink.reasoning("0", "hm");
    sink.text("1", "Hel");
    sink.toolCall("2", { id: "c1", name: "read" });
    for (const event of events) accumulator.process(event);
    const partial = accumulator.response();
    expect(partial).toMatchObject({ id: "r1", model: "m1", text: "Hel", reasoning: "hm" });
    expect(partial.finishReason).toEqual({ reason: "other" });
    expect(partial.message.content.map((part) => part.kind)).toEqual(["thinking", "text", "tool_call"]);
  });

  it("GN-04 the partial shows the arguments of a call as far as they have come", () => {
    const { events, sink } = recorder();
    const accumulator = new StreamAccumulator("p");
    sink.toolCall("0", { id: "c1", name: "write" });
    sink.toolArguments("0", '{"path":"a.ts","text":"one');
    for (const event of events) accumulator.process(event);
    expect(accumulator.response().toolCalls).toEqual([
      { id: "c1", name: "write", arguments: { path: "a.ts", text: "one" }, rawArguments: '{"path":"a.ts","text":"one' },
    ]);
  });

  it("AD-11 a call whose arguments come before its name is called by it in the end", () => {
    const { sink } = recorder();
    sink.toolArguments("0", "{}");
    sink.toolCall("0", { id: "c1", name: "read" });
    sink.endToolCall("0");
    sink.finish();
    expect(sink.response?.toolCalls).toEqual([{ id: "c1", name: "read", arguments: {} }]);
  });

  it("AD-04 a failure closes open blocks first and keeps what arrived", () => {
    const { events, sink } = recorder();
    sink.start({ id: "r1" });
    sink.text("0", "half a sen");
    sink.toolCall("1", { id: "c1", name: "write" });
    sink.toolArguments("1", '{"path":"a');
    const error = new ServerError("overloaded", { provider: "p" });
    sink.fail(error);
    expect(events.map((event) => event.type).slice(-3)).toEqual(["text_end", "tool_call_end", "error"]);
    const last = events.at(-1);
    if (last?.type !== "error") throw new Error("no error event");
    expect(last.error).toBe(error);
    expect(last.partial?.text).toBe("half a sen");
    expect(last.partial?.toolCalls).toEqual([{ id: "c1", name: "write", arguments: {}, rawArguments: '{"path":"a' }]);
  });

  it("DM-08 a stop with calls counts as tool_calls, a length stop stays", () => {
    for (const [given, expected] of [
      ["stop", "tool_calls"],
      ["length", "length"],
    ] as const) {
      const { sink } = recorder();
      sink.toolCall("0", { id: "c1", name: "read" });
      sink.endToolCall("0", { arguments: "{}" });
      sink.finishReason({ reason: given, raw: "word" });
      sink.finish();
      expect(sink.response?.finishReason).toEqual({ reason: expected, raw: "word" });
    }
  });

  it("DM-04 makes an id where the vendor sends none and takes a late one", () => {
    const { sink } = recorder();
    sink.toolCall("0", { name: "a" });
    sink.toolCall("1", { name: "b" });
    sink.toolCall("1", { id: "vendor" });
    sink.finish();
    expect(sink.response?.toolCalls.map((call) => call.id)).toEqual(["call_u1", "vendor"]);
  });

  it("DM-11 a restart voids everything before it", () => {
    const { events, sink } = recorder();
    sink.start({ id: "one" });
    sink.text("0", "old");
    sink.usage({ inputTokens: 9 });
    sink.restart({ id: "two" });
    sink.text("0", "new");
    sink.finishReason({ reason: "stop" });
    sink.finish();
    expect(grammarViolation(events)).toBeUndefined();
    expect(events.map((event) => event.type)).toContain("stream_restart");
    expect(sink.response).toMatchObject({ id: "two", text: "new", usage: { inputTokens: 0 } });
  });

  it("AD-04 unknown items stay in the message and are warned about", () => {
    const { sink } = recorder();
    sink.unknown({ type: "hologram", data: 1 });
    sink.finish();
    expect(sink.response?.message.content).toEqual([
      { kind: "unknown", raw: { type: "hologram", data: 1 }, origin: { provider: "p", model: "asked" } },
    ]);
    expect(sink.response?.warnings.map((warning) => warning.code)).toEqual(["unknown_item"]);
  });

  it("DM-11 G-65 each delta shows the call as it was at that moment", () => {
    const { events, sink } = recorder();
    sink.toolCall("0", { id: "c", name: "f" });
    for (const fragment of ['{"a":"x', "y", '"}']) sink.toolArguments("0", fragment);
    sink.endToolCall("0");
    const shown = events.flatMap((event) => (event.type === "tool_call_delta" ? [event.toolCall] : []));
    expect(shown.map((call) => call.rawArguments)).toEqual(['{"a":"x', '{"a":"xy', '{"a":"xy"}']);
    expect(shown.map((call) => call.arguments)).toEqual([{ a: "x" }, { a: "xy" }, { a: "xy" }]);
    expect(JSON.parse(JSON.stringify(shown[1]))).toMatchObject({ id: "c", arguments: { a: "xy" } });
  });
});

describe("tolerant JSON", () => {
  it("AD-04 G-65 a 20 KB object read byte by byte is a prefix reading at every step", () => {
    const source: JsonValue = {
      path: "src/a.ts",
      text: `quotes " and \\ and ünï 😀\n${"line of text\n".repeat(700)}`,
      list: Array.from({ length: 300 }, (_, index) => ({ index, name: `n${index}`, flag: index % 2 === 0 })),
      deep: { a: { b: { c: [1.5, -2e3, null, true] } } },
    };
    const text = JSON.stringify(source);
    expect(text.length).toBeGreaterThan(20_000);
    for (let end = 1; end < text.length; end += end < 300 || end > text.length - 200 ? 1 : 97) {
      const partial = parsePartialJson(text.slice(0, end));
      expect(isPrefixReading(partial, source), `after ${end} characters`).toBe(true);
    }
    expect(parsePartialJson(text)).toEqual(source);
  });

  it("AD-04 any JSON value cut anywhere never throws and never invents", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, at) => {
        // Inside a list: a bare number that is cut off is a number too.
        const text = JSON.stringify([value]);
        const partial = parsePartialJson(text.slice(0, at % (text.length + 1)));
        return isPrefixReading(partial, JSON.parse(text) as JsonValue);
      }),
      { numRuns: LONG ? 20_000 : 250 },
    );
  });

  it("AD-04 text that is no JSON reads as nothing", () => {
    for (const text of ["", "   ", "hello", "<html>", "}", "tru", "-"]) expect(parsePartialJson(text)).toBeUndefined();
  });
});

describe("throttle", () => {
  it("DM-11 G-63 5000 deltas give at most one event per 50 ms and the same text", async () => {
    let time = 0;
    async function* deltas(): AsyncGenerator<StreamEvent> {
      yield { type: "text_start", textId: "t" };
      for (let index = 0; index < 5000; index++) {
        time += 1;
        yield { type: "text_delta", textId: "t", delta: String(index % 10) };
      }
      yield { type: "text_end", textId: "t", text: "whole" };
    }
    const seen: StreamEvent[] = [];
    for await (const event of throttle(deltas(), 50, () => time)) seen.push(event);
    const merged = seen.filter((event) => event.type === "text_delta");
    expect(merged.length).toBeLessThanOrEqual(5000 / 50 + 1);
    expect(merged.map((event) => event.delta).join("")).toBe(
      Array.from({ length: 5000 }, (_, index) => index % 10).join(""),
    );
    expect(seen[0]?.type).toBe("text_start");
    expect(seen.at(-1)?.type).toBe("text_end");
    const byTheClock: StreamEvent[] = [];
    for await (const event of throttle(deltas(), 50)) byTheClock.push(event);
    expect(byTheClock.at(-1)?.type).toBe("text_end");
  });

  it("DM-11 G-63 neighbours of different blocks are not merged; a merged one shows the newest state, before whatever follows", async () => {
    async function* deltas(): AsyncGenerator<StreamEvent> {
      yield { type: "text_delta", textId: "a", delta: "1" };
      yield { type: "text_delta", textId: "a", delta: "2" };
      yield { type: "text_delta", textId: "b", delta: "3" };
      yield { type: "reasoning_delta", reasoningId: "a", reasoningDelta: "4" };
    }
    const seen: StreamEvent[] = [];
    for await (const event of throttle(deltas(), 50, () => 0)) seen.push(event);
    expect(seen).toHaveLength(4);

    const { events, sink } = recorder();
    for (const piece of ["one", "two", "three"]) sink.text("0", piece);
    sink.toolCall("1", { id: "c", name: "f" });
    for (const piece of ['{"a":', '"x', 'y"}']) sink.toolArguments("1", piece);
    async function* recorded(): AsyncGenerator<StreamEvent> {
      yield* events;
    }
    const merged: StreamEvent[] = [];
    for await (const event of throttle(recorded(), 50, () => 0)) merged.push(event);
    const types = merged.map(({ type }) => type);
    expect(types.indexOf("tool_call_start")).toBeGreaterThan(types.lastIndexOf("text_delta"));
    expect(merged.flatMap((event) => (event.type === "text_delta" ? [event.delta] : [])).join("")).toBe("onetwothree");
    expect(merged.findLast(({ type }) => type === "tool_call_delta")).toMatchObject({
      toolCall: { arguments: { a: "xy" } },
    });
  });
});

function sinkPartial(event: StreamEvent | undefined) {
  return event?.type === "error" ? event.partial : undefined;
}

/** Everything in `partial` is in `whole` at the same place; strings and lists may be cut off. */
function isPrefixReading(partial: JsonValue | undefined, whole: JsonValue): boolean {
  if (partial === undefined) return true;
  if (typeof partial === "string") return typeof whole === "string" && whole.startsWith(partial);
  if (Array.isArray(partial))
    return (
      Array.isArray(whole) &&
      partial.every((item, index) => index < whole.length && isPrefixReading(item, whole[index] as JsonValue))
    );
  if (typeof partial === "object" && partial !== null) {
    if (typeof whole !== "object" || whole === null || Array.isArray(whole)) return false;
    return Object.keys(partial).every(
      (key) => Object.hasOwn(whole, key) && isPrefixReading(partial[key], whole[key] as JsonValue),
    );
  }
  return Object.is(partial, whole) || partial === whole;
}
