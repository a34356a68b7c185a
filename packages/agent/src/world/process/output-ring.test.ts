import fc from "fast-check";
import { expect, it } from "vitest";
import { OutputRing } from "./output-ring.ts";

it("EE-02 a reader gets every byte since its offset, or is told how many are gone; characters stay whole", () => {
  const chunk = fc.string({ unit: "grapheme", maxLength: 12 });
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 40 }),
      fc.array(chunk, { maxLength: 30 }),
      fc.nat(),
      (limit, chunks, pick) => {
        const ring = new OutputRing(limit);
        const marks = [0];
        for (const text of chunks) {
          ring.push(Buffer.from(text));
          marks.push(marks.at(-1)! + Buffer.byteLength(text));
        }
        const from = marks[pick % marks.length]!;
        const since = Buffer.from(chunks.join("")).subarray(from);
        const { text, next, missed } = ring.read(from);
        expect(next).toBe(marks.at(-1));
        expect(text).toBe(since.subarray(missed).toString("utf8"));
        expect(missed).toBeLessThanOrEqual(Math.max(0, since.length - limit) + 3);
        if (since.length <= limit) expect(missed).toBe(0);
      },
    ),
  );
});
