import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SDKError } from "../../src/types/errors.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import { play, type Recording, record } from "./bytes.ts";
import { ALL, grammarViolation } from "./support.ts";

const LONG = process.env["LATHE_LONG"] !== undefined;

describe.each(ALL)("bytes of $provider", { timeout: LONG ? 300_000 : 30_000 }, (one) => {
  let recording: Recording;
  let expected: string;
  beforeAll(async () => {
    recording = await record(one);
    const events = await play(one, recording.headers, [recording.bytes]);
    expect(grammarViolation(events)).toBeUndefined();
    const last = events.at(-1);
    if (last?.type !== "finish") throw new Error(`the clean stream ended with ${last?.type}`);
    expect(last.response.toolCalls.map((call) => call.arguments["text"])).toEqual([
      'quotes " and \\ and ünï 😀',
      "second",
    ]);
    expected = JSON.stringify(events);
  });

  it("A-308 AD-02 any cut at any byte boundary gives the same events", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1_000_000), { maxLength: 40 }), async (points) => {
        const { bytes, headers } = recording;
        const cuts = [...new Set(points.map((point) => point % bytes.length))].sort((a, b) => a - b);
        const chunks = [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length));
        expect(JSON.stringify(await play(one, headers, chunks))).toBe(expected);
      }),
      { numRuns: LONG ? 1000 : 4 },
    );
  });

  it("A-308 AD-02 one byte at a time, and chunk sizes up to 64", async () => {
    const { bytes, headers } = recording;
    for (let size = 1; size <= 64; size += LONG || size < 10 ? 1 : 6) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(JSON.stringify(await play(one, headers, chunks)), `size ${size}`).toBe(expected);
    }
  });

  it("ER-04 DM-11 mutated streams neither hang nor crash: one terminal event or one SDKError", async () => {
    const rounds = Math.ceil((LONG ? 10_000 : 40) / ALL.length);
    const random = generator(20_260_315 + one.provider.length);
    for (let round = 0; round < rounds; round++) {
      const bytes = mutate(recording.bytes, random);
      const size = 1 + Math.floor(random() * 700);
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      let events: StreamEvent[];
      try {
        events = await play(one, recording.headers, chunks);
      } catch (error) {
        expect(error, `round ${round}`).toBeInstanceOf(SDKError);
        continue;
      }
      expect(grammarViolation(events), `round ${round}`).toBeUndefined();
      // The output is limited by the input.
      expect(JSON.stringify(events.at(-1)).length).toBeLessThan(bytes.length * 4 + 4000);
    }
  });
});

type Random = () => number;

function mutate(source: Uint8Array, random: Random): Uint8Array {
  let bytes: Uint8Array = source.slice();
  const edits = 1 + Math.floor(random() * 6);
  const place = () => Math.floor(random() * bytes.length);
  for (let edit = 0; edit < edits && bytes.length > 0; edit++) {
    const kind = Math.floor(random() * 6);
    const at = place();
    const length = 1 + Math.floor(random() * 200);
    if (kind === 0) bytes[at] = Math.floor(random() * 256);
    else if (kind === 1) bytes = bytes.slice(0, at);
    else if (kind === 2) bytes = join(bytes.subarray(0, at), bytes.subarray(at + length));
    else if (kind === 3) bytes = join(bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at));
    else if (kind === 4)
      bytes = join(
        bytes.subarray(0, at),
        new TextEncoder().encode(NOISE[Math.floor(random() * NOISE.length)]),
        bytes.subarray(at),
      );
    else {
      const other = place();
      bytes = join(bytes.subarray(other), bytes.subarray(0, other));
    }
  }
  return bytes;
}

const NOISE = [
  "\n\n",
  "\r",
  "data: ",
  "data: {}\n\n",
  "null",
  "[]",
  "{",
  '"',
  "\u0000",
  "event: error\n",
  "data: [DONE]\n\n",
  '":null,"',
  "1e999",
  "😀",
];

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** A small linear congruential generator: the same mutations on every run. */
function generator(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
