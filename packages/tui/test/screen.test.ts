import { describe, expect, it } from "vitest";
import type { Row } from "../src/rows/row.ts";
import { row } from "../src/rows/wrap.ts";
import { stage } from "./kit.ts";

const rows = (...texts: string[]): Row[] => texts.map((text) => row(text));

describe("screen", () => {
  it("finished text stays above the live region, once and in order", () => {
    const made = stage(40, 6);
    made.view = { rows: rows("working", "> "), cursor: { row: 1, column: 2 } };
    for (let line = 0; line < 20; line++) {
      made.screen.commit(rows(`line ${line}`));
      made.screen.paint();
      expect(made.emulator.lines()).toEqual([...Array.from({ length: line + 1 }, (_, index) => `line ${index}`), "working", ">"]);
    }
    expect(made.emulator.cursor).toEqual({ row: 5, column: 2 });
  });
});
