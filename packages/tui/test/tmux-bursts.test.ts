import { afterEach, describe, expect, it } from "vitest";
import { streamedLine } from "./streamed-text.ts";
import { hasTmux, STREAM_PROGRAM, Tmux } from "./tmux.ts";

const LINES = 220;
const ROWS = 40;
const isLong = process.env.LATHE_LONG !== undefined;
const RUNS = isLong ? 40 : 4;
/** Between tmux' answer and the frame that is made for it the window can still change: a fraction of a millisecond, on a busy machine more. */
const MOST_CAUGHT = Math.max(1, RUNS / 10);
const TEXT = Array.from({ length: LINES }, (_, index) => streamedLine(index)).join("");
const BURSTS = [
  [100, 80, 60, 50],
  [110, 50, 90, 45, 70, 40],
  [130, 90, 70, 45],
  [60, 120, 55, 100, 42],
  [140, 100, 75, 50, 41],
] as const;

let tmux: Tmux | undefined;
afterEach(close);

async function close(): Promise<void> {
  await tmux?.close();
  tmux = undefined;
}

const withoutBlanks = (text: string): string => text.replace(/\s/g, "");

/** What was written while the window changed in bursts, in a window that is wide again. */
async function written(kind: "screen" | "plain"): Promise<readonly string[]> {
  tmux = await Tmux.start(120, ROWS, {}, [...STREAM_PROGRAM, kind, String(LINES)]);
  for (const [index, burst] of BURSTS.entries()) {
    await tmux.see(new RegExp(`^${70 + index * 25}: `, "m"));
    for (const columns of burst) await tmux.resize(columns, ROWS);
  }
  await tmux.see(/DONE/);
  await tmux.resize(150, ROWS);
  const lines = await tmux.see(kind === "plain" ? /DONE/ : new RegExp(`STATUS 150:${ROWS} DONE`));
  return lines.slice(lines.indexOf(streamedLine(0)));
}

describe.skipIf(!hasTmux)("a stream in a tmux window that changes its width several times in a moment", () => {
  it(`finished text is there once and whole, and of the live region nothing is left behind (${RUNS} runs)`, {
    timeout: 60_000 * RUNS,
  }, async () => {
    const caught: string[] = [];
    for (let run = 0; run < RUNS; run++) {
      const lines = await written("screen");
      const committed = lines.slice(0, -5).join("");
      if (withoutBlanks(committed) !== withoutBlanks(TEXT)) caught.push(lines.join("\n"));
      await close();
    }
    expect(caught.length, caught[0]).toBeLessThanOrEqual(MOST_CAUGHT);
  });

  it("tmux itself loses nothing of printed text: what is lost would be our doing", { timeout: 60_000 }, async () => {
    const lines = await written("plain");
    expect(withoutBlanks(lines.slice(0, lines.indexOf("DONE")).join(""))).toBe(withoutBlanks(TEXT));
  });
});
