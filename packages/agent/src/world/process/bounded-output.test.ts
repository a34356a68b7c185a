import fc from "fast-check";
import { expect, it } from "vitest";
import { BoundedOutput, Spilling, WholeCharacters } from "./bounded-output.ts";

/** Splits bytes at arbitrary positions. */
const chunked = fc.array(fc.nat(), { maxLength: 20 });
function split(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...places, bytes.length].map((end, i) => bytes.subarray(i === 0 ? 0 : places[i - 1]!, end));
}

it("TL-04 what fits is kept whole, what does not is head and tail with the right count between", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 200 }),
      chunked,
      fc.integer({ min: 8, max: 120 }),
      (text, cuts, limit) => {
        const bytes = Buffer.from(text);
        const output = new BoundedOutput(limit);
        for (const chunk of split(bytes, cuts)) output.push(chunk);
        expect(output.bytes).toBe(bytes.length);
        expect(output.truncated).toBe(bytes.length > output.capacity);
        if (!output.truncated) {
          expect(output.text()).toBe(text);
          return;
        }
        const [, head, count, tail] = /^([\s\S]*)\n\[\.\.\. (\d+) bytes omitted \.\.\.\]\n([\s\S]*)$/.exec(
          output.text(),
        )!;
        expect(text.startsWith(head!) && text.endsWith(tail!)).toBe(true);
        expect(Buffer.byteLength(head!) + Number(count) + Buffer.byteLength(tail!)).toBe(bytes.length);
        expect(Buffer.byteLength(head!) + Buffer.byteLength(tail!)).toBeLessThanOrEqual(limit);
      },
    ),
  );
});

it("TL-04 K-13 the spill receives the whole output as soon as memory no longer holds it, and nothing before", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), chunked, fc.integer({ min: 8, max: 120 }), (bytes, cuts, limit) => {
      const spilled: Buffer[] = [];
      const output = new Spilling(limit, { write: (chunk) => spilled.push(Buffer.from(chunk)) });
      for (const chunk of split(Buffer.from(bytes), cuts)) output.push(chunk);
      expect(Buffer.concat(spilled)).toEqual(output.kept.truncated ? Buffer.from(bytes) : Buffer.alloc(0));
    }),
  );
});

it("TL-04 characters are never cut between chunks", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), chunked, (text, cuts) => {
      const characters = new WholeCharacters();
      const parts = split(Buffer.from(text), cuts).map((chunk) => characters.push(chunk).toString("utf8"));
      parts.push(characters.flush().toString("utf8"));
      expect(parts.join("")).toBe(Buffer.from(text).toString("utf8"));
      expect(parts.some((part) => part.includes("\uFFFD") && !text.includes("\uFFFD"))).toBe(false);
    }),
  );
});
