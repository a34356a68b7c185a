import { afterEach, describe, expect, it } from "vitest";
import { streamedLine } from "./streamed-text.ts";
import { hasTmux, STREAM_PROGRAM, Tmux } from "./tmux.ts";

const LINES = 220;
const ROWS = 40;
const isLong = process.env.LATHE_LONG !== undefined;
const RUNS = isLong ? 40 : 1;
/** Runs that do not count, because the window changed between tmux' answer and the frame that is made for it. */
const MOST_MISDRAWN = 6 * RUNS;
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

interface Written {
  readonly lines: readonly string[];
  /** Frames that were drawn while the window had another width than the one they were made for. */
  readonly misdrawn: number;
}

/** What was written while the window changed in bursts, in a window that is wide again. */
async function written(kind: "screen" | "plain"): Promise<Written> {
  tmux = await Tmux.start(120, ROWS, {}, [...STREAM_PROGRAM, kind, String(LINES)]);
  for (const [index, burst] of BURSTS.entries()) {
    await tmux.see(new RegExp(`^${70 + index * 25}: `, "m"));
    for (const columns of burst) await tmux.resize(columns, ROWS);
  }
  await tmux.see(/DONE/);
  await tmux.resize(150, ROWS);
  const lines = await tmux.see(kind === "plain" ? /DONE/ : new RegExp(`STATUS 150:${ROWS} DONE`));
  const misdrawn = Number(/DONE (\d+) Y/.exec(lines.at(-1) ?? "")?.[1] ?? 0);
  return { lines: lines.slice(lines.indexOf(streamedLine(0))), misdrawn };
}

describe.skipIf(!hasTmux)("a stream in a tmux window that changes its width several times in a moment", () => {
  it(`finished text is there once and whole, and of the live region nothing is left behind (${RUNS} runs)`, {
    timeout: 60_000 * (RUNS + MOST_MISDRAWN),
  }, async () => {
    let [judged, left] = [0, MOST_MISDRAWN];
    while (judged < RUNS) {
      const { lines, misdrawn } = await written("screen");
      const isWhole = withoutBlanks(lines.slice(0, -5).join("")) === withoutBlanks(TEXT);
      if (isWhole || misdrawn === 0 || left === 0) {
        expect(isWhole, `${misdrawn} frames for another width\n${lines.join("\n")}`).toBe(true);
        judged++;
      } else left--;
      await close();
    }
  });

  it("tmux itself loses nothing of printed text: what is lost would be our doing", async () => {
    const { lines } = await written("plain");
    expect(withoutBlanks(lines.slice(0, lines.indexOf("DONE")).join(""))).toBe(withoutBlanks(TEXT));
  });
});
