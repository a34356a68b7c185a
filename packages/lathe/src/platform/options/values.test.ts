import { describe, expect, it } from "vitest";
import { duration } from "./values.ts";

describe("values of options", () => {
  it.each([
    ["90", 90_000],
    ["1.5m", 90_000],
    ["250ms", 250],
    // Node fires a longer timer at once: the run would end before it began.
    ["1000h", 2 ** 31 - 1],
  ])("--max-time %s is a time that can be waited for", (text, ms) => {
    expect(duration("max-time", text)).toBe(ms);
  });
});
