import { describe, expect, it } from "vitest";
import type { KeyPress } from "../src/keys/key.ts";
import type { Row } from "../src/rows/row.ts";
import { row, wrap } from "../src/rows/wrap.ts";
import { Viewer } from "../src/viewer/viewer.ts";
import { type Stage, stage } from "./kit.ts";

const key = (name: string, text?: string): KeyPress => ({
  kind: "key",
  name,
  text,
  ctrl: false,
  alt: false,
  shift: false,
  meta: false,
});

function opened(
  columns = 60,
  rows = 8,
): { made: Stage; viewer: Viewer; press(...keys: string[]): string[]; copied: string[] } {
  const made = stage(columns, rows);
  const copied: string[] = [];
  made.view = { rows: [row("~live"), row("~prompt")], cursor: { row: 1, column: 7 } };
  made.screen.commit([row("committed before")]);
  made.screen.paint();
  let unfolded = false;
  const body = (width: number) =>
    Array.from({ length: 50 }, (_, index) =>
      wrap([{ text: `line ${index} ${unfolded ? "unfolded " : ""}of the output` }], width),
    ).flat();
  const viewer: Viewer = new Viewer("Output of make", body, {
    close: () => made.screen.closeFullScreen(),
    copy: (text) => copied.push(text),
    toggle: () => {
      unfolded = !unfolded;
    },
  });
  made.screen.openFullScreen(viewer);
  const press = (...keys: string[]): string[] => {
    for (const name of keys) viewer.handle(key(name, name.length === 1 ? name : undefined));
    made.screen.paint();
    return made.emulator.screen();
  };
  return { made, viewer, press, copied };
}

describe("viewer", () => {
  it("makes no more of a long body than somebody has looked at", () => {
    const made = stage(40, 8);
    let count = 0;
    const body = function* (): IterableIterator<Row> {
      for (; count < 100_000; count++) yield row(`line ${count}`);
    };
    const viewer = new Viewer("Long", body, { close: () => {}, copy: () => {} });
    made.screen.openFullScreen(viewer);
    made.screen.paint();
    expect(made.emulator.screen()[0]).toMatch(/^Long +1-6 of many$/);
    expect(count).toBeLessThan(20);
    for (const name of ["/", ..."line 500", "enter"]) viewer.handle(key(name, name.length === 1 ? name : undefined));
    made.screen.paint();
    expect(made.emulator.screen().join("\n")).toContain("line 500");
    expect(count).toBeLessThan(600);
    viewer.handle(key("end"));
    made.screen.paint();
    expect(made.emulator.screen()[0]).toMatch(/^Long +99995-100000 of 100000$/);
  });

  it("opens over everything, scrolls to both ends, and gives the screen back as it was", () => {
    const { made, press } = opened();
    expect(made.emulator.isAlternate).toBe(true);
    expect(made.emulator.screen()[0]).toMatch(/^Output of make +1-6 of 50$/);
    expect(press("j", "down")[1]).toBe("line 2 of the output");
    expect(press("G")[6]).toBe("line 49 of the output");
    expect(press("g")[1]).toBe("line 0 of the output");
    expect(press(" ")[1]).toBe("line 5 of the output");
    press("q");
    expect(made.emulator.isAlternate).toBe(false);
    expect(made.emulator.lines()).toEqual(["committed before", "~live", "~prompt"]);
    expect(made.emulator.cursor).toEqual({ row: 2, column: 7 });
  });

  it("text that is finished while it is open comes when it closes, once", () => {
    const { made, press } = opened();
    made.screen.commit([row("committed meanwhile")]);
    made.clock.advance(1000);
    expect(made.emulator.isAlternate).toBe(true);
    press("escape");
    expect(made.emulator.lines()).toEqual(["committed before", "committed meanwhile", "~live", "~prompt"]);
  });

  it("a search goes from match to match and round the end", () => {
    const { press } = opened();
    expect(press("/", "L", "backspace", "l", "i", "n", "e", " ", "4").at(-1)).toBe("/line 4");
    const found = press("enter");
    expect(found.some((line) => line.startsWith("line 4 "))).toBe(true);
    expect(press("n").some((line) => line.startsWith("line 40 "))).toBe(true);
    expect(press("N", "N").some((line) => line.startsWith("line 49 "))).toBe(true);
    expect(press("/", "x", "y", "z", "enter").at(-1)).toContain("not found");
  });

  it("copies the whole text and unfolds it", () => {
    const { press, copied } = opened();
    expect(press("e")[1]).toBe("line 0 unfolded of the output");
    expect(press("y").at(-1)).toContain("copied");
    expect(copied[0]?.split("\n")).toHaveLength(51);
  });

  it("a resize while it is open leaves nothing of it, and nothing twice, behind", () => {
    for (const [columns, rows] of [
      [30, 8],
      [100, 20],
      [25, 5],
    ] as const) {
      const { made, press } = opened();
      made.emulator.resize(columns, rows);
      made.screen.handleResize();
      made.clock.advance(100);
      expect(made.emulator.screen()[0]).toMatch(/^Output of make/);
      press("q");
      expect(made.emulator.lines()).toEqual(["committed before", "~live", "~prompt"]);
    }
  });
});
