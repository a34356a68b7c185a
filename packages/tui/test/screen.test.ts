import { describe, expect, it } from "vitest";
import type { Row } from "../src/rows/row.ts";
import { row } from "../src/rows/wrap.ts";
import { stage } from "./kit.ts";

const rows = (...texts: string[]): Row[] => texts.map((text) => row(text));
const FRAME_MS = 85;

describe("screen", () => {
  it("finished text stays above the live region, once and in order", () => {
    const made = stage(40, 6);
    made.view = { rows: rows("working", "> "), cursor: { row: 1, column: 2 } };
    for (let line = 0; line < 20; line++) {
      made.screen.commit(rows(`line ${line}`));
      made.screen.paint();
      expect(made.emulator.lines()).toEqual([
        ...Array.from({ length: line + 1 }, (_, index) => `line ${index}`),
        "working",
        ">",
      ]);
    }
    expect(made.emulator.cursor).toEqual({ row: 5, column: 2 });
  });

  it("nothing is written while nothing changes", () => {
    const made = stage(40, 10);
    made.view = { rows: rows("a", "b"), cursor: { row: 1, column: 1 } };
    made.screen.paint();
    made.emulator.take();
    for (let round = 0; round < 20; round++) {
      made.view = { rows: rows("a", "b"), cursor: { row: 1, column: 1 } };
      made.screen.requestFrame();
      made.clock.advance(1000);
    }
    expect(made.emulator.take()).toBe("");
  });

  it("a typed letter costs a letter, a spinner's turn less than 40 bytes", () => {
    const made = stage(80, 10);
    const at = (spinner: string, typed: string): void => {
      made.view = {
        rows: rows(
          `${spinner} Reading the files of the project · 12s · esc to interrupt`,
          "─".repeat(80),
          `> ${typed}`,
        ),
        cursor: { row: 2, column: 2 + typed.length },
      };
      made.screen.paint();
    };
    at("⠋", "");
    made.emulator.take();
    at("⠋", "h");
    expect(made.emulator.take()).toBe("h");
    at("⠙", "h");
    expect(Buffer.byteLength(made.emulator.take())).toBeLessThan(40);
    expect(made.emulator.screen().slice(0, 3)).toEqual([
      "⠙ Reading the files of the project · 12s · esc to interrupt",
      "─".repeat(80),
      "> h",
    ]);
  });

  it("rows below a growing text are moved, not written again", () => {
    const made = stage(80, 10);
    const rule = "─".repeat(80);
    made.screen.commit(rows(...Array.from({ length: 12 }, (_, index) => `before ${index}`)));
    for (let line = 1; line < 30; line++) {
      made.view = {
        rows: rows(`streamed ${line}`, "status", rule, "> typed text", rule),
        cursor: { row: 3, column: 12 },
      };
      made.screen.paint();
      const bytes = made.emulator.take();
      if (line > 1) expect(bytes).not.toMatch(/─|typed|status/);
      made.screen.commit(rows(`streamed ${line}`));
    }
  });

  it("a frame is shown whole, by synchronized-output marks or with a hidden cursor; by both until the terminal has said what it knows", () => {
    const kinds = [
      { sync: true, knows: undefined, hides: true },
      { sync: true, knows: true, hides: false },
      { sync: true, knows: false, hides: true },
      { sync: false, knows: true, hides: true },
    ];
    for (const { sync, knows, hides } of kinds) {
      const made = stage(40, 10, { sync, knowsSync: () => knows });
      made.view = { rows: rows("one", "two", "three"), cursor: { row: 0, column: 0 } };
      made.screen.paint();
      const bytes = made.emulator.take();
      expect(/^\x1b\[\?2026h.*\x1b\[\?2026l$/s.test(bytes)).toBe(sync && knows !== false);
      expect(bytes.includes("\x1b[?25l")).toBe(hides);
    }
  });

  it("streams are painted at most once per frame time, keys at once", () => {
    const made = stage(40, 10);
    let painted = 0;
    for (let delta = 0; delta < 1000; delta++) {
      made.view = { rows: rows(`delta ${delta}`) };
      made.screen.requestFrame();
      made.clock.advance(1);
      if (made.emulator.take() !== "") painted++;
    }
    expect(painted).toBeLessThanOrEqual(1000 / FRAME_MS + 1);
    expect(painted).toBeGreaterThan(5);
    made.view = { rows: rows("after a key") };
    made.screen.paint();
    expect(made.emulator.take()).toContain("after a key");
  });

  it("a change that can wait is painted with the next frame, and by itself when none comes", () => {
    const made = stage(40, 10);
    made.screen.paint();
    made.emulator.take();
    made.clock.advance(1000);
    made.view = { rows: rows("spinner") };
    made.screen.requestFrame(100);
    made.clock.advance(50);
    expect(made.emulator.take()).toBe("");
    made.screen.requestFrame();
    made.clock.advance(0);
    expect(made.emulator.take()).toContain("spinner");
    made.clock.advance(1000);
    made.view = { rows: rows("again") };
    made.screen.requestFrame(100);
    made.clock.advance(100);
    expect(made.emulator.screen()[0]).toBe("again");
  });

  it("text that grows above the cursor costs little more than itself, and the cursor stays where it is", () => {
    const made = stage(80, 10);
    const at = (text: string): void => {
      made.view = { rows: [row(text, { color: 3 }), row("status"), row("> typed")], cursor: { row: 2, column: 7 } };
      made.screen.paint();
    };
    at("some");
    made.emulator.take();
    at("some words");
    expect(made.emulator.take().length).toBeLessThanOrEqual(" words".length + 24);
    expect(made.emulator.screen().slice(0, 3)).toEqual(["some words", "status", "> typed"]);
    expect(made.emulator.cursor).toEqual({ row: 2, column: 7 });
    made.view = { ...made.view, rows: [row("some words", { color: 3 }), row("status"), row("> typed!")] };
    made.screen.paint();
    expect(made.emulator.foreground(2, 7)).toBe(-1);
  });

  it("a narrower window of VS Code breaks rows below the cursor: neither finished text nor remains of the live region suffer", () => {
    const long = "x".repeat(50);
    for (const columns of [60, 40, 25, 20]) {
      const made = stage(70, 20);
      made.screen.commit(rows(...Array.from({ length: 30 }, (_, line) => `said ${line}`)));
      made.view = { rows: rows(`~a${long}`, `~b${long}`, `~c${long}`, `~d${long}`), cursor: { row: 1, column: 3 } };
      made.screen.paint();
      made.emulator.resize(columns, 20);
      made.view = { rows: rows("~a", "~b", "~c", "~d"), cursor: { row: 1, column: 1 } };
      made.screen.handleResize();
      made.clock.advance(1000);
      const lines = made.emulator.lines();
      const gap = lines.filter((line) => line === "").length;
      expect(lines.filter((line) => line !== "").slice(-5)).toEqual(["said 29", "~a", "~b", "~c", "~d"]);
      expect(lines).toHaveLength(34 + gap);
      // The region has stayed where it was at the bottom; the next text comes where rows are empty.
      made.screen.commit(rows(...Array.from({ length: gap }, (_, line) => `more ${line}`)));
      made.clock.advance(1000);
      expect(made.emulator.lines()).toHaveLength(34 + gap);
      expect(made.emulator.lines().at(-5)).toBe(gap > 0 ? `more ${gap - 1}` : "said 29");
    }
  });

  it("a terminal that takes no bytes gets one frame when it does again, not all that were missed", () => {
    const made = stage(40, 10);
    made.view = { rows: rows("before") };
    made.screen.paint();
    made.emulator.take();
    made.emulator.isBlocked = true;
    for (let line = 0; line < 100; line++) {
      made.screen.commit(rows(`line ${line}`));
      made.view = { rows: rows(`live ${line}`) };
      made.clock.advance(FRAME_MS);
      made.screen.paint();
    }
    expect(made.emulator.take()).toBe("");
    made.emulator.unblock();
    expect(made.emulator.take().match(/\x1b\[\?2026h/g)).toHaveLength(1);
    expect(made.emulator.lines()).toEqual([...Array.from({ length: 100 }, (_, line) => `line ${line}`), "live 99"]);
  });

  it("of a live region that is too tall the bottom is shown, and finished text is still not lost", () => {
    const made = stage(30, 6);
    made.view = {
      rows: rows(...Array.from({ length: 20 }, (_, index) => `~card ${index}`)),
      cursor: { row: 19, column: 3 },
    };
    made.screen.commit(rows("first"));
    made.screen.paint();
    made.screen.commit(rows("second", "third"));
    made.screen.paint();
    expect(made.emulator.lines()).toEqual([
      "first",
      "second",
      "third",
      ...Array.from({ length: 6 }, (_, index) => `~card ${14 + index}`),
    ]);
    expect(made.emulator.cursor).toEqual({ row: 5, column: 3 });
  });

  it("a region that shrinks leaves nothing behind", () => {
    const made = stage(30, 10);
    for (const count of [8, 3, 9, 1, 0, 4]) {
      made.view = { rows: rows(...Array.from({ length: count }, (_, index) => `row ${index} of ${count}`)) };
      made.screen.paint();
      expect(made.emulator.lines()).toEqual(made.view.rows.map((one) => one.spans[0]?.text));
    }
  });

  it("backgrounds reach the edge without blanks, styles end with their text, rows of full width keep their last cell", () => {
    const made = stage(20, 6);
    const full = "x".repeat(20);
    made.view = { rows: [{ ...row("add", { color: 2 }), fill: 4 }, row("plain"), row(full)] };
    made.screen.paint();
    const bytes = made.emulator.take();
    expect(bytes).not.toMatch(/ {2}/);
    expect([made.emulator.background(0, 0), made.emulator.background(0, 19), made.emulator.background(1, 0)]).toEqual([
      4, 4, -1,
    ]);
    expect([made.emulator.foreground(0, 0), made.emulator.foreground(1, 0)]).toEqual([2, -1]);
    made.view = { rows: [row("add"), row("plain"), row(`${"y".repeat(19)}z`)] };
    made.screen.paint();
    expect(made.emulator.background(0, 19)).toBe(-1);
    expect(made.emulator.screen().slice(0, 3)).toEqual(["add", "plain", `${"y".repeat(19)}z`]);
  });

  it("a link is one, and an address cannot end it early", () => {
    const made = stage(40, 6);
    made.view = { rows: [row("see here", { link: "https://example.com/a\x1b\\b c" })] };
    made.screen.paint();
    expect(made.emulator.take()).toContain("\x1b]8;;https://example.com/a%1B\\b%20c\x1b\\see here\x1b]8;;\x1b\\");
  });

  it("rows that were made for a wider window are broken, not cut, when they are committed", () => {
    const made = stage(20, 6);
    made.screen.commit(rows("0123456789".repeat(4)));
    made.screen.paint();
    expect(made.emulator.lines()).toEqual(["01234567890123456789", "01234567890123456789"]);
  });

  it("whoever takes the terminal finds no live region, and it comes back below what they wrote", () => {
    const made = stage(40, 10);
    made.view = { rows: rows("~live", "~prompt") };
    made.screen.commit(rows("said"));
    made.screen.paint();
    made.screen.pause();
    expect(made.emulator.lines()).toEqual(["said"]);
    made.emulator.write("from the editor\r\n");
    made.screen.commit(rows("meanwhile"));
    made.clock.advance(1000);
    made.screen.resume();
    expect(made.emulator.lines()).toEqual(["said", "from the editor", "meanwhile", "~live", "~prompt"]);
    made.screen.end(rows("bye"));
    expect(made.emulator.lines()).toEqual(["said", "from the editor", "meanwhile", "bye"]);
    expect(made.emulator.cursor).toEqual({ row: 4, column: 0 });
  });

  it("new colours reach every live row and no committed one", () => {
    const made = stage(40, 10);
    made.view = { rows: rows("~live") };
    made.screen.commit(rows("said"));
    made.screen.paint();
    made.emulator.take();
    made.screen.restyle();
    made.clock.advance(1000);
    const bytes = made.emulator.take();
    expect(bytes).toContain("~live");
    expect(bytes).not.toContain("said");
  });
});
