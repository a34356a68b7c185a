import fc from "fast-check";
import { expect, it } from "vitest";
import { isoTime } from "../../src/record/journal/timestamp.ts";

it("writes every time as node does, leap years and the ends of time included", () => {
  for (const text of ["1970-01-01", "2000-02-29", "1900-02-28", "2024-02-29", "2024-12-31", "0000-01-01", "9999-12-31"])
    expect(isoTime(Date.parse(`${text}T23:59:59.999Z`))).toBe(`${text}T23:59:59.999Z`);
  const ends = 8.64e15;
  fc.assert(
    fc.property(fc.oneof(fc.integer({ min: -ends, max: ends }), fc.integer({ min: 0, max: 4e12 })), (ms) => {
      expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    }),
    { numRuns: 2000 },
  );
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
});
