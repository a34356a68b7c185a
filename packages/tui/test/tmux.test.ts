import { afterEach, describe, expect, it } from "vitest";
import { hasTmux, Tmux } from "./tmux.ts";

let tmux: Tmux;
afterEach(() => tmux.close());

/** Without what the shell printed before. */
const ours = (lines: readonly string[]): string[] =>
  lines.slice(lines.findIndex((line) => line.startsWith("said") || line.startsWith("~")));

const live = (columns: number, typed = ""): string[] => [
  ...Array.from({ length: 4 }, (_, index) =>
    `~card ${index} ${"works on a long line ".repeat(20)}`.slice(0, columns - (index % 3)).trimEnd(),
  ),
  `~status ${columns}x`,
  `~> ${typed}`.trimEnd(),
  "~below the cursor ".repeat(20).slice(0, columns).trimEnd(),
];

describe.skipIf(!hasTmux)("screen in tmux", () => {
  it("windows of many widths: finished text is there once, the live region once below it, nothing left behind", {
    timeout: 120_000,
  }, async () => {
    tmux = await Tmux.start(100, 30, { LINES_BEFORE: "30" });
    await tmux.see(/~below the cursor/);
    const committed: string[] = [];
    // tmux moves rows into its history for every row that breaks, also while there is room below: the screen is to be full.
    for (let line = 0; line < 30; line++) committed.push(`said before ${line}`);
    const sizes = [
      [60, 30],
      [45, 25],
      [120, 30],
      [200, 40],
      [75, 40],
      [33, 40],
      [100, 24],
      [71, 50],
      [150, 12],
      [90, 30],
    ] as const;
    for (const [index, [columns, rows]] of sizes.entries()) {
      const text = `said ${index} in a row that is rather long, so that narrow windows break it`;
      await tmux.press("-l", text);
      await tmux.see(new RegExp(`~> said ${index}`));
      await tmux.press("Enter");
      committed.push(text);
      await tmux.see(new RegExp(`said ${index} [^~]*~card[^>]*> *\\n`));
      await tmux.resize(columns, rows);
      const lines = ours(await tmux.see(new RegExp(`~status ${columns}x${rows}\\n~> *\\n~below.*\\s*$`)));
      expect(lines.slice(-7).map((line) => line.replace(/^(~status \d+x)\d+$/, "$1"))).toEqual(live(columns));
      expect(lines.slice(0, -7).join("").replaceAll(" ", "")).toBe(committed.join("").replaceAll(" ", ""));
    }
    await tmux.press("C-c");
    const lines = await tmux.see(/~left *\n\$/);
    // A row that took the place of a longer live row is no longer than its text: it would break into empty rows.
    expect(lines.filter((line) => line.startsWith("~"))).toEqual(["~left"]);
  });

  it.each([
    ["30", "a full screen"],
    ["9", "a screen with room below the region"],
  ])(
    "a window that becomes narrower step by step pushes no live row into the history (%s rows before: %s)",
    {
      timeout: 120_000,
    },
    async (before) => {
      tmux = await Tmux.start(100, 24, { LINES_BEFORE: before });
      await tmux.see(/~below the cursor/);
      const committed = Array.from({ length: Number(before) }, (_, line) => `said before ${line}`);
      for (const columns of [90, 80, 70, 60, 50]) {
        await tmux.resize(columns, 24);
        const lines = ours(await tmux.see(new RegExp(`~status ${columns}x24\\n~> *\\n~below.*\\s*$`)));
        const shown = live(columns).map((line) => (line.startsWith("~status") ? `${line}24` : line));
        expect(lines.filter((line) => line !== "")).toEqual([...committed, ...shown]);
      }
    },
  );

  it("rows that are left empty above the region when the window becomes narrower take the next finished text", {
    timeout: 180_000,
  }, async () => {
    tmux = await Tmux.start(100, 24, { LINES_BEFORE: "30" });
    await tmux.see(/~below the cursor/);
    for (const columns of [90, 80]) {
      await tmux.resize(columns, 24);
      await tmux.see(new RegExp(`~status ${columns}x24\\n~> *\\n~below.*\\s*$`));
    }
    const committed = Array.from({ length: 30 }, (_, line) => `said before ${line}`);
    for (let line = 0; line < 15; line++) {
      await tmux.press("-l", `said after ${line}`);
      await tmux.press("Enter");
      committed.push(`said after ${line}`);
    }
    const lines = ours(await tmux.see(/said after 14\n~card[^>]*> *\n~below.*\s*$/));
    expect(lines).toEqual([...committed, ...live(80).map((line) => (line.startsWith("~status") ? `${line}24` : line))]);
  });

  it("Ctrl+Z gives the shell a clean terminal, and fg brings the live region back once", {
    timeout: 180_000,
  }, async () => {
    tmux = await Tmux.start(80, 24);
    await tmux.see(/~below the cursor/);
    await tmux.press("-l", "half typed");
    await tmux.see(/~> half typed/);
    await tmux.press("C-z");
    await tmux.see(/Stopped[^\n]*\n\$ *\s*$/);
    await tmux.press("echo in the shell", "Enter");
    await tmux.see(/\nin the shell\n/);
    await tmux.press("fg", "Enter");
    const lines = await tmux.see(/~> half typed\n~below/);
    expect(lines.filter((line) => line.startsWith("~>"))).toEqual(["~> half typed"]);
  });

  it("whoever leaves while tmux is asked for its size leaves no answer to the shell", async () => {
    tmux = await Tmux.start(80, 24);
    await tmux.see(/~below the cursor/);
    // Both in one piece: the frame of the first key is still asking when the second one leaves.
    await tmux.press("x", "C-c");
    await tmux.see(/~left *\n\$/);
    await tmux.press("echo in the shell", "Enter");
    const lines = await tmux.see(/\nin the shell\n\$/);
    expect(lines.slice(lines.indexOf("~left"))).toEqual(["~left", "$ echo in the shell", "in the shell", "$"]);
  });

  it("a viewer leaves the window as it was", async () => {
    tmux = await Tmux.start(80, 24);
    await tmux.see(/~below the cursor/);
    await tmux.press("C-v");
    await tmux.see(/number 0\n/);
    await tmux.resize(50, 20);
    await tmux.see(/q close/);
    await tmux.press("q");
    const lines = await tmux.see(/~status 50x20\n~> *\n~below/);
    expect(lines.filter((line) => line.startsWith("~status"))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("number"))).toEqual([]);
  });
});
