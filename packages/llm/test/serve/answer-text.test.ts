// What a model says is never more than text: it cannot become an event, header or frame of a client.

import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { servedFormats } from "../../src/serve/index.ts";
import type { FormatName } from "../../src/serve/types.ts";
import { Blocks } from "../../src/stream/blocks.ts";
import { ProviderError, RateLimitError, ServerError } from "../../src/types/errors.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import type { JsonObject, JsonValue } from "../../src/types/json.ts";
import { ALL } from "../core/support.ts";
import { targetOf } from "./gateway.ts";
import { formatOf, GOOD } from "./good-bodies.ts";

const runs = process.env["LATHE_LONG"] ? 20_000 : 300;

/** One answer with the same text in every place. */
function answerOf(text: string): StreamEvent[] {
  const events: StreamEvent[] = [];
  const origin = { provider: "p", model: "m" };
  const sink = new Blocks({ ...origin, origin, newId: () => "1", emit: (event) => events.push(event) });
  sink.start({ id: `i${text}`, model: `m${text}` });
  sink.reasoning("r", text);
  sink.endReasoning("r", { signature: `s${text}` });
  sink.text("t", text);
  sink.text("t", text);
  sink.endText("t");
  sink.toolCall("c", { id: `id${text}`, name: `n${text}` });
  sink.toolArguments("c", JSON.stringify({ a: text }));
  sink.endToolCall("c", { signature: `x${text}` });
  sink.finishReason({ reason: "tool_calls", raw: text });
  sink.finish();
  return events;
}

const SMUGGLED = '"}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\ndata: [DONE]\r\n\r\nid: 1\rretry: 1\n\n';

describe("AU-05 what a model says is never more than text", () => {
  const contextFor = (name: FormatName) => {
    let ids = 0;
    const decoded = formatOf(name).decode(GOOD[name]);
    if (decoded.kind === "refused") throw new Error(decoded.refusal.message);
    return { served: decoded.served, target: targetOf(ALL[2]!), now: () => 0, newId: () => `n${++ids}` };
  };

  function framesOf(
    name: FormatName,
    text: string,
  ): { readonly event: string | undefined; readonly data: JsonValue }[] {
    const encoder = formatOf(name).encoder(contextFor(name));
    const frames: { event: string | undefined; data: JsonValue }[] = [];
    const parser = createParser({
      onEvent: ({ event, data }) =>
        frames.push({ event, data: data === "[DONE]" ? data : (JSON.parse(data) as JsonValue) }),
      onRetry: () => frames.push({ event: "retry", data: "" }),
    });
    parser.feed(
      answerOf(text)
        .map((event) => encoder.push(event))
        .join(""),
    );
    return frames;
  }

  const shape = (frames: ReturnType<typeof framesOf>): string[] =>
    frames.map(({ event, data }) => `${event} ${typeof data === "string" ? data : (data as JsonObject)["type"]}`);

  it.each(servedFormats.map(({ name }) => name))("%s: text that looks like events adds none", (name) => {
    expect(shape(framesOf(name, SMUGGLED))).toEqual(shape(framesOf(name, "x")));
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom("\u2028", "\u0000", "\ud83d", "\ude00"),
    );
    fc.assert(
      // Blank text counts as no text, so its block may be omitted.
      fc.property(
        texts.filter((text) => text.trim() !== ""),
        (text) => {
          const half = /^[\ud800-\udbff]$/.test(text.at(-1) ?? "");
          if (!half) expect(shape(framesOf(name, text))).toEqual(shape(framesOf(name, "x")));
        },
      ),
      { numRuns: Math.ceil(runs / 10) },
    );
  });

  it.each(servedFormats.map(({ name }) => name))("%s: nothing that a vendor said stands in a header", (name) => {
    const error = new RateLimitError("a\r\nset-cookie: x=1", {
      provider: "p",
      retryAfter: Number.NaN,
      requestId: "a\r\nb",
    });
    const { headers, body, status } = formatOf(name).error(error, "a\r\nb: c");
    expect(Object.values(headers).join("")).not.toMatch(/[\r\n]/);
    expect(Object.keys(headers).sort()).toEqual(["content-type", "x-should-retry"]);
    expect(status).toBe(429);
    expect(JSON.parse(body)).toBeTruthy();
  });

  it("an answer that begins again after its first words ends in an error, not in two answers", () => {
    for (const name of ["chat", "messages", "responses"] as const) {
      const encoder = formatOf(name).encoder(contextFor(name));
      const before = encoder.push({ type: "stream_start" }) + encoder.push({ type: "stream_restart" });
      expect(before).not.toContain('error":{');
      encoder.push({ type: "text_start", textId: "t" });
      encoder.push({ type: "text_delta", textId: "t", delta: "x" });
      expect(encoder.push({ type: "stream_restart" })).toContain("restarted its answer");
      expect(encoder.isOver).toBe(true);
      expect(encoder.push({ type: "text_delta", textId: "t", delta: "y" })).toBe("");
    }
  });

  it("a server's failure says nothing of the server", () => {
    const bug = new ServerError("boom", { provider: "p", statusCode: 500, raw: "secret body" });
    expect(formatOf("chat").error(bug).body).not.toContain("secret");
    const unknown = new ProviderError("x", { provider: "p", statusCode: 401 });
    expect(formatOf("messages").error(unknown).status).toBeGreaterThanOrEqual(400);
  });
});
