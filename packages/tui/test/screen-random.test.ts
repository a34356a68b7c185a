import { describe, expect, it } from "vitest";
import { randomRun } from "./random-run.ts";

const RUNS = process.env.LATHE_LONG === "1" ? 5000 : 5;

describe("screen, random sessions", () => {
  it(`streams, 20 cards, pictures and resizes never lose, repeat or reorder finished text, and the live region is what was asked for (${RUNS} runs)`, {
    timeout: 1_800_000,
  }, () => {
    let remains = 0;
    let pictures = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      try {
        const figures = randomRun(seed, 30);
        if (figures.remains) remains++;
        pictures += figures.pictures;
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
    // Most runs must be of the strict kind, or the check says little.
    expect(remains).toBeLessThan(RUNS / 2);
    expect(pictures).toBeGreaterThan(RUNS);
  });
});
