import fc from "fast-check";
import { expect, it } from "vitest";
import { Heights } from "../src/list/heights.ts";

it("M1 the place of each row in a long list is what adding up all rows before it gives", () => {
  const change = fc.record({ at: fc.nat(200), height: fc.integer({ min: 1, max: 500 }) });
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 200 }),
      fc.array(change),
      (rows, changes) => {
        const heights = new Heights(10);
        heights.replace(rows);
        const plain = [...rows];
        for (const { at, height } of changes.filter((one) => one.at < plain.length)) {
          heights.set(at, height);
          plain[at] = height;
        }
        const sums = [0];
        for (const height of plain) sums.push((sums.at(-1) ?? 0) + height);
        expect(sums.map((_, at) => heights.start(at))).toEqual(sums);
        expect(heights.total).toBe(sums.at(-1));
        for (const [at, start] of sums.slice(0, -1).entries()) expect(heights.rowAt(start)).toBe(at);
        expect(heights.rowAt(heights.total + 1)).toBe(plain.length - 1);
        expect(heights.rowAt(-5)).toBe(0);
      },
    ),
  );
});
