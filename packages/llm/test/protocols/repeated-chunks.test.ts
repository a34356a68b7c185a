// Chunks that differ from the last one only in their text are not parsed; the result must be the same as if each were
// parsed.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic/index.ts";
import { RepeatedChunk } from "../../src/protocols/common/repeated-chunk.ts";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";
import { Blocks } from "../../src/stream/blocks.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import type { JsonObject } from "../../src/types/json.ts";
import type { Protocol } from "../../src/types/protocol.ts";

const runs = process.env["LATHE_LONG"] ? 20_000 : 100;

/**
 * `spaced`: adds different blanks to each chunk, which a parser ignores and a comparison does not, so that nothing
 * repeats.
 */
function events(protocol: Protocol, chunks: readonly JsonObject[], spaced: boolean): readonly StreamEvent[] {
  const seen: StreamEvent[] = [];
  const origin = { provider: "p", model: "m" };
  const sink = new Blocks({ provider: "p", model: "m", origin, newId: () => "id", emit: (event) => seen.push(event) });
  const request = { model: "m", messages: [] };
  const decoder = protocol.decoder({ provider: "p", model: "m", origin, request, newId: () => "id" });
  for (const [at, chunk] of chunks.entries())
    decoder.event({ data: `${JSON.stringify(chunk)}${spaced ? " ".repeat(at + 1) : ""}` }, sink);
  decoder.end(sink);
  return JSON.parse(JSON.stringify(seen)) as StreamEvent[];
}

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(
    "",
    '"',
    "\\",
    '\\"',
    '","x":"',
    "\n",
    "\u0000",
    "\ud800",
    '"}}',
    "a longer text than twelve letters",
  ),
);
const field = fc.constantFrom("content", "reasoning_content", "reasoning", "refusal");

const chatChunk = fc
  .record({
    id: fc.constantFrom("a", "b"),
    model: fc.constantFrom("m", "content"),
    delta: fc.oneof(
      fc.record({ content: text }),
      fc.record({ role: fc.constant("assistant"), content: text }),
      fc.tuple(field, text).map(([name, value]) => ({ [name]: value })),
      fc.record({ content: text, tool_calls: fc.constantFrom([], [{ index: 0, function: { arguments: "{}" } }]) }),
    ),
    finish: fc.constantFrom(null, null, null, "stop"),
    usage: fc.constantFrom(undefined, null, { prompt_tokens: 1, completion_tokens: 2 }),
  })
  .map(({ id, model, delta, finish, usage }) => ({
    id,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(usage === undefined ? {} : { usage }),
  })) as fc.Arbitrary<JsonObject>;

const anthropicEvent = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.nat(1), text).map(([index, value]) => delta(index, "text", value)) },
  { weight: 6, arbitrary: fc.tuple(fc.nat(1), text).map(([index, value]) => delta(index, "thinking", value)) },
  { weight: 2, arbitrary: fc.nat(1).map((index) => ({ type: "content_block_stop", index })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(1), fc.constantFrom("text", "thinking"))
      .map(([index, type]) => ({ type: "content_block_start", index, content_block: { type, [type]: "" } })),
  },
) as fc.Arbitrary<JsonObject>;

const delta = (index: number, kind: "text" | "thinking", value: string): JsonObject => ({
  type: "content_block_delta",
  index,
  delta: { type: `${kind}_delta`, [kind]: value },
});

describe("repeated chunks", () => {
  it("DM-11 a Chat answer whose chunks repeat is the one that parsing each chunk gives", () => {
    fc.assert(
      fc.property(fc.array(chatChunk, { maxLength: 30 }), (chunks) => {
        expect(events(openaiChat, chunks, false)).toEqual(events(openaiChat, chunks, true));
      }),
      { numRuns: runs },
    );
  });

  it("DM-11 so is one of Anthropic's, whichever blocks are open", () => {
    fc.assert(
      fc.property(fc.array(anthropicEvent, { maxLength: 30 }), (chunks) => {
        expect(events(anthropicMessages, chunks, false)).toEqual(events(anthropicMessages, chunks, true));
      }),
      { numRuns: runs },
    );
  });

  it("AU-05 a chunk is taken as a repetition only if its text is all that differs", () => {
    const taken: string[] = [];
    const chunk = new RepeatedChunk();
    chunk.learn('{"a":1,"text": "one","b":2}', "text", "one", (piece) => taken.push(piece));
    const same = ['{"a":1,"text": "two","b":2}', '{"a":1,"text": "t\\u0077o\\n","b":2}', '{"a":1,"text": "","b":2}'];
    const other = [
      '{"a":2,"text": "two","b":2}',
      '{"a":1,"text": "two","b":2} ',
      '{"a":1,"text": "two","b":3}',
      '{"a":1,"text": "two","x":"y","b":2}',
      '{"a":1,"text": "t\\qo","b":2}',
      '{"a":1,"text": "two\\","b":2}',
      '{"a":1,"text": "two\nlines","b":2}',
    ];
    expect([...same, ...other].map((data) => chunk.isTaken(data))).toEqual([
      ...same.map(() => true),
      ...other.map(() => false),
    ]);
    expect(taken).toEqual(["two", "two\n", ""]);
    chunk.forget();
    expect(chunk.isTaken(same[0] as string)).toBe(false);
  });
});
