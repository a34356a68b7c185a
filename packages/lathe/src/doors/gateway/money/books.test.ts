// The ledger from the view of its keys: what was reserved or spent stays so, wherever the gateway is killed.

import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Period } from "../keys/terms.ts";
import { Books } from "./books.ts";
import { sumsByKey } from "./sums-by-key.ts";

const KEY = { id: "k1", name: "ci" };
const NOVEMBER = Date.UTC(2026, 10, 30, 12);
const DAY = 86_400_000;

let folder: string;
let ids = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "books-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (now: () => number = () => NOVEMBER, period: Period = "ever", at = folder): Books =>
  new Books({ folder: at, now, newId: () => `r${++ids}`, periodOf: () => period });

const claim = (usd: number) => ({ key: KEY, model: "p/m", most: { tokens: 1000, usd } });
const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
const budget = (usd: number, period: Period = "ever") => ({ usd, period });

describe("M2 the ledger of the gateway", () => {
  it("M2 a gateway that is killed between two lines gives no money back", () => {
    const books = open();
    books.settle(books.reserve(claim(1)), { usd: 0.25, usage });
    books.reserve(claim(2));
    expect(books.left(KEY, budget(10))).toBe(7.75);
    // Killed: nothing was closed.
    const again = open();
    expect(again.unsettled).toBe(1);
    expect(again.left(KEY, budget(10))).toBe(7.75);
    expect(again.spent(KEY)).toEqual({ usd: 0.25, uncertain: 2 });
    again.close();
    // Counted once, not at every start.
    const third = open();
    expect([third.unsettled, third.left(KEY, budget(10))]).toEqual([0, 7.75]);
  });

  it("M2 whatever is done, cut off at any byte, a key has never more left than before, and the next lines are read", () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant("reserve" as const), usd: fc.integer({ min: 1, max: 50 }) }),
      fc.record({ type: fc.constant("settle" as const), share: fc.integer({ min: 0, max: 10 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.nat(), (steps, cut) => {
        const own = mkdtempSync(join(folder, "p-"));
        const books = open(undefined, "ever", own);
        const running: { usd: number; reservation: ReturnType<Books["reserve"]> }[] = [];
        for (const one of steps) {
          if (one.type === "reserve") running.push({ usd: one.usd, reservation: books.reserve(claim(one.usd)) });
          else {
            const ending = running.shift();
            if (ending) books.settle(ending.reservation, { usd: (ending.usd * one.share) / 10, usage });
          }
        }
        const left = books.left(KEY, budget(5000));
        const [file = ""] = readdirSync(own).map((name) => join(own, name));
        const content = readFileSync(file);
        const last = content.subarray(0, -1).lastIndexOf(10) + 1;
        // A power failure tore the last line: if that was a settlement, its reservation counts.
        const lines = content.toString("utf8").trimEnd().split("\n");
        if (lines.at(-1)?.includes('"settled"'))
          writeFileSync(file, content.subarray(0, last + (cut % (content.length - last))));
        const again = open(undefined, "ever", own);
        expect(again.left(KEY, budget(5000))).toBeLessThanOrEqual(left + 1e-9);
        again.settle(again.reserve(claim(3)), { usd: 3, usage });
        const before = again.left(KEY, budget(5000));
        expect(open(undefined, "ever", own).left(KEY, budget(5000))).toBeCloseTo(before, 9);
      }),
      { numRuns: process.env["LATHE_LONG"] ? 2000 : 60 },
    );
  });

  it("M2 a month and a day begin with nothing spent; what was spent in all goes on", () => {
    let now = NOVEMBER;
    for (const [period, after] of [
      ["month", 10],
      ["day", 10],
      ["ever", 6],
    ] as const) {
      now = NOVEMBER;
      const own = mkdtempSync(join(folder, `${period}-`));
      const books = open(() => now, period, own);
      books.settle(books.reserve(claim(5)), { usd: 4, usage });
      expect(books.left(KEY, budget(10, period))).toBe(6);
      now += DAY;
      expect(books.left(KEY, budget(10, period))).toBe(after);
      books.settle(books.reserve(claim(1)), { usd: 1, usage });
      // The next start reads only the new month.
      expect(open(() => now, period, own).left(KEY, budget(10, period))).toBe(after - 1);
      // A clock that was set back gives no money back.
      now -= DAY;
      expect(books.left(KEY, budget(10, period))).toBe(after - 1);
    }
  });

  it("M2 a request over the end of a month is settled in it, and counts once", () => {
    let now = NOVEMBER;
    const books = open(() => now);
    const long = books.reserve(claim(5));
    now += DAY;
    books.settle(books.reserve(claim(1)), { usd: 1, usage });
    expect(books.left(KEY, budget(10))).toBe(4);
    // If killed here, the reservation counts in full; once settled, the actual cost.
    expect(open(() => now, "ever", copyOf(folder)).left(KEY, budget(10))).toBe(4);
    books.settle(long, { usd: 2, usage });
    expect(open(() => now).left(KEY, budget(10))).toBe(7);
    expect(sumsByKey(folder, { isRunning: false }).keys).toEqual([
      { id: "k1", name: "ci", requests: 2, input: 20, cached: 0, output: 10, usd: 3, uncertain: 0 },
    ]);
  });

  it("M2 a month that is longer than what is read at once is read whole, with a last line without an end", () => {
    const lines: string[] = [];
    for (let nth = 0; nth < 6000; nth++) {
      const id = `r-${nth}`;
      const at = new Date(NOVEMBER).toISOString();
      lines.push(
        JSON.stringify({
          type: "reserved",
          id,
          at,
          key: "k1",
          name: "für日本".repeat(9),
          model: "p/m",
          tokens: 1,
          usd: 1,
        }),
        JSON.stringify({ type: "settled", id, at, input: 1, cached: 0, output: 1, usd: 0.5 }),
      );
    }
    writeFileSync(join(folder, "2026-11.jsonl"), lines.join("\n"));
    const books = open();
    expect([books.damaged, books.unsettled, books.spent(KEY).usd]).toEqual([0, 0, 3000]);
    books.settle(books.reserve(claim(1)), { usd: 1, usage });
    expect(sumsByKey(folder, { isRunning: false })).toMatchObject({
      keys: [{ requests: 6001, usd: 3001 }],
      damaged: 0,
    });
  });

  it("M2 a damaged line costs that line only, and is counted", () => {
    const books = open();
    books.settle(books.reserve(claim(5)), { usd: 4, usage });
    appendFileSync(join(folder, "2026-11.jsonl"), '{"type":"settled","id":\n');
    books.settle(books.reserve(claim(1)), { usd: 1, usage });
    const again = open();
    expect([again.damaged, again.left(KEY, budget(10))]).toEqual([1, 5]);
  });

  it("M2 a ledger of which nothing can be read gives no money back: the gateway does not start", () => {
    const books = open();
    books.settle(books.reserve(claim(5)), { usd: 4, usage });
    const file = join(folder, "2026-11.jsonl");
    for (const content of ["", "\0".repeat(400), "what was it?\nwho knows\n"]) {
      writeFileSync(file, content);
      expect(open).toThrow(`The ledger ${file} is damaged: what the keys have spent is not known. Restore it`);
      expect(readFileSync(file, "utf8")).toBe(content);
    }
  });
});

function copyOf(from: string): string {
  const to = mkdtempSync(join(from, "copy-"));
  for (const name of readdirSync(from))
    if (name.endsWith(".jsonl")) writeFileSync(join(to, name), readFileSync(join(from, name)));
  return to;
}
