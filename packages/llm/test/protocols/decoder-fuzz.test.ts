import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic/index.ts";
import { bedrockConverse } from "../../src/protocols/bedrock/index.ts";
import { googleGenerativeAi } from "../../src/protocols/gemini/index.ts";
import { Blocks } from "../../src/stream/blocks.ts";
import { StreamError } from "../../src/types/errors.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import type { JsonObject, JsonValue } from "../../src/types/json.ts";
import type { Frame, Protocol } from "../../src/types/protocol.ts";
import { grammarViolation } from "../core/support.ts";

const runs = process.env["LATHE_LONG"] ? 10_000 : 80;

interface Event {
  readonly name?: string;
  readonly body: JsonObject;
}

const anthropic: Event[] = [
  { type: "message_start", message: { id: "m", model: "c", usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "hello" } },
  { type: "content_block_start", index: 2, content_block: { type: "tool_use", id: "t", name: "read", input: {} } },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"a":1}' } },
  { type: "content_block_stop", index: 2 },
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
].map((body) => ({ body: body as JsonObject }));

const part = (...parts: JsonValue[]): JsonObject => ({ candidates: [{ content: { role: "model", parts } }] });
const gemini: Event[] = [
  part({ text: "hm", thought: true }),
  part({ text: "hello" }, { text: "", thoughtSignature: "s" }),
  part({ functionCall: { name: "read", willContinue: true } }),
  part({
    functionCall: { partialArgs: [{ jsonPath: "$.a[0].b", stringValue: "x", willContinue: true }], willContinue: true },
  }),
  part({ functionCall: {} }),
  part({ functionCall: { name: "list", args: { a: 1 } }, thoughtSignature: "s" }, { executableCode: {} }),
  { candidates: [{ finishReason: "STOP" }], usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4 } },
].map((body) => ({ body }));

const bedrock: Event[] = (
  [
    ["messageStart", { role: "assistant" }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "hm" } } }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { signature: "s" } } }],
    ["contentBlockStop", { contentBlockIndex: 0 }],
    ["contentBlockDelta", { contentBlockIndex: 1, delta: { text: "hello" } }],
    ["contentBlockStop", { contentBlockIndex: 1 }],
    ["contentBlockStart", { contentBlockIndex: 2, start: { toolUse: { toolUseId: "t", name: "read" } } }],
    ["contentBlockDelta", { contentBlockIndex: 2, delta: { toolUse: { input: '{"a":1}' } } }],
    ["contentBlockStop", { contentBlockIndex: 2 }],
    ["messageStop", { stopReason: "tool_use" }],
    ["metadata", { usage: { inputTokens: 1, outputTokens: 2 } }],
  ] as [string, JsonObject][]
).map(([name, body]) => ({ name, body }));

/** Replaces a value somewhere inside: the given numbers choose the path to a leaf. */
function mutate(value: JsonValue, path: readonly number[], into: JsonValue | undefined): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== "object" || value === null) return into ?? null;
  const keys = Object.keys(value);
  if (keys.length === 0) return into ?? null;
  const key = keys[step % keys.length]!;
  const copy = structuredClone(value) as JsonObject;
  if (rest.length === 0 && into === undefined) delete copy[key];
  else copy[key] = mutate(copy[key]!, rest, into);
  return copy;
}

type Edit =
  | { readonly kind: "drop"; readonly at: number }
  | { readonly kind: "double"; readonly at: number }
  | { readonly kind: "garbage"; readonly at: number }
  | { readonly kind: "exception"; readonly at: number }
  | { readonly kind: "swap"; readonly at: number; readonly with: number }
  | { readonly kind: "value"; readonly at: number; readonly path: number[]; readonly into: JsonValue | undefined };

const at = fc.nat({ max: 30 });
const edit: fc.Arbitrary<Edit> = fc.oneof(
  ...(["drop", "double", "garbage", "exception"] as const).map((kind) => fc.record({ kind: fc.constant(kind), at })),
  fc.record({ kind: fc.constant("swap" as const), at, with: at }),
  fc.record({
    kind: fc.constant("value" as const),
    at,
    path: fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 5 }),
    into: fc.option(fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>, { nil: undefined }),
  }),
);

function edited(events: readonly Event[], edits: readonly Edit[]): Frame[] {
  let frames = events.map(
    ({ name, body }): Frame => ({ data: JSON.stringify(body), ...(name ? { event: name } : {}) }),
  );
  for (const change of edits) {
    const index = frames.length === 0 ? 0 : change.at % frames.length;
    const frame = frames[index];
    if (frame === undefined) break;
    if (change.kind === "drop") frames = frames.toSpliced(index, 1);
    else if (change.kind === "double") frames = frames.toSpliced(index, 0, frame);
    else if (change.kind === "garbage") frames[index] = { ...frame, data: frame.data.slice(0, -1) };
    else if (change.kind === "exception") frames[index] = { ...frame, exception: "throttlingException" };
    else if (change.kind === "swap") {
      const other = change.with % frames.length;
      [frames[index], frames[other]] = [frames[other]!, frame];
    } else {
      const before = parse(frame.data);
      if (before !== undefined)
        frames[index] = { ...frame, data: JSON.stringify(mutate(before, change.path, change.into)) };
    }
  }
  return frames;
}

function parse(data: string): JsonValue | undefined {
  try {
    return JSON.parse(data) as JsonValue;
  } catch {
    return undefined;
  }
}

function play(protocol: Protocol, frames: readonly Frame[]): StreamEvent[] {
  const events: StreamEvent[] = [];
  const origin = { provider: "p", model: "m" };
  const request = { model: "m", messages: [] };
  let ids = 0;
  const newId = () => String(++ids);
  const sink = new Blocks({ ...origin, origin, newId, emit: (event) => events.push(event) });
  const decoder = protocol.decoder({ ...origin, origin, request, newId });
  for (const frame of frames) decoder.event(frame, sink);
  decoder.end(sink);
  // What the driver does with a stream that never reached its end.
  if (!sink.terminal) sink.fail(new StreamError("stream ended early"));
  return events;
}

describe("mutated vendor streams", () => {
  const cases = [
    ["AD-31 Anthropic", anthropicMessages, anthropic],
    ["AD-41 Gemini", googleGenerativeAi, gemini],
    ["AD-60 Bedrock", bedrockConverse, bedrock],
  ] as const;
  it.each(cases)(
    "%s: no mutation throws or breaks the grammar",
    (_, protocol, events) => {
      expect(grammarViolation(play(protocol, edited(events, [])))).toBeUndefined();
      fc.assert(
        fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
          const seen = play(protocol, edited(events, edits));
          if (seen.length > 0) expect(grammarViolation(seen)).toBeUndefined();
        }),
        { numRuns: runs },
      );
    },
    180_000,
  );
});
