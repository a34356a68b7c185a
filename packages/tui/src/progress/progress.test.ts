import { describe, expect, it } from "vitest";
import { rowText, rowWidth } from "../rows/wrap.ts";
import { elapsedTime } from "../spinner/elapsed.ts";
import { Spinner, spinnerFrame, untilNextFrame } from "../spinner/spinner.ts";
import { SYMBOL_SETS } from "../theme/symbol-sets.ts";
import { barSpans, ProgressBar } from "./progress.ts";

const symbols = SYMBOL_SETS.unicode;
const at = (now: number, columns = 60) => ({ columns, rows: 20, symbols, now });

describe("waiting and progress", () => {
  it("the spinner's frame follows the time, and nothing is new between two frames", () => {
    const spinner = new Spinner();
    spinner.text = [{ text: "Working" }];
    const first = spinner.render(at(0));
    expect(rowText(first[0] as never)).toBe("· Working");
    expect(spinner.render(at(symbols.spinnerMs - 1))).toBe(first);
    expect(spinner.render(at(symbols.spinnerMs))).not.toBe(first);
    expect(untilNextFrame(at(symbols.spinnerMs + 30))).toBe(symbols.spinnerMs - 30);
  });

  it("one second of waiting changes few cells", () => {
    const frames = Array.from({ length: 1_000 }, (_, now) => spinnerFrame(at(now)));
    const changes = frames.filter((frame, index) => index > 0 && frame !== frames[index - 1]);
    // A cell costs about 30 bytes to paint: there and back, colour, sign.
    expect(changes.length * 30).toBeLessThan(100);
  });

  it("time is told in words that change once a second at most", () => {
    expect([0, 999, 42_500, 185_000, 7_800_000, 97_200_000, -5].map(elapsedTime)).toEqual([
      "0s",
      "0s",
      "42s",
      "3m 05s",
      "2h 10m",
      "1d 3h",
      "0s",
    ]);
  });

  it("a bar is empty only at the start and full only at the end", () => {
    const bar = (share: number): string => rowText({ spans: barSpans(share, 10, symbols) });
    expect([0, 0.001, 0.5, 0.999, 1, 2, Number.NaN].map(bar)).toEqual([
      "░░░░░░░░░░",
      "█░░░░░░░░░",
      "█████░░░░░",
      "█████████░",
      "██████████",
      "██████████",
      "░░░░░░░░░░",
    ]);
  });

  it("a progress bar keeps its numbers in the narrowest place", () => {
    const bar = new ProgressBar("Loading models", 10);
    bar.set(3);
    for (const columns of [5, 12, 20, 40, 100]) {
      const [row] = bar.render(at(0, columns));
      expect(rowWidth(row as never)).toBeLessThanOrEqual(columns);
      expect(rowText(row as never)).toContain("3/10");
    }
    expect(bar.render(at(0))).toBe(bar.render(at(500)));
  });
});
