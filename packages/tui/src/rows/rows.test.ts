import { describe, expect, it } from "vitest";
import { visible } from "./visible.ts";
import { shorten, widthOf } from "./width.ts";
import { rowText, rowWidth, wrap } from "./wrap.ts";

const texts = (text: string, columns: number): string[] => wrap([{ text }], columns).map(rowText);

describe("rows", () => {
  it("wide characters, emoji and accents take the columns that terminals give them", () => {
    expect(["abc", "你好", "é", "e\u0301", "👩‍👩‍👧", "🇩🇪", "❤️", "한글"].map(widthOf)).toEqual([3, 4, 1, 1, 2, 2, 2, 4]);
  });

  it("words stay whole where they can, and long ones break between graphemes", () => {
    expect(texts("the quick brown fox", 9)).toEqual(["the quick", "brown fox"]);
    expect(texts("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
    expect(texts("你好世界", 5)).toEqual(["你好", "世界"]);
    expect(texts("one\n\ntwo", 10)).toEqual(["one", "", "two"]);
  });

  it("words stay apart where a long run of blanks was broken, and an indent does not cost a row", () => {
    expect(texts("ab          c", 5)).toEqual(["ab", "c"]);
    expect(texts("  abcdefgh", 8)).toEqual(["  abcdef", "gh"]);
    expect(texts("one two   ", 5)).toEqual(["one", "two"]);
  });

  it("code breaks only where a row is full, at every width, with another lead in the rows below", () => {
    const spans = [
      { text: "const a = " },
      { text: "你好x世界", style: { bold: true } },
      { text: "0123456789".repeat(3) },
    ];
    for (let columns = 6; columns < 50; columns++) {
      const rows = wrap(spans, columns, { anywhere: true, first: [{ text: "> " }], rest: [{ text: "... " }] });
      const shown = rows.map(rowText);
      expect(shown.map((text, index) => text.slice(index === 0 ? 2 : 4)).join("")).toBe(rowText({ spans }));
      // A wide character that does not fit leaves one column.
      for (const row of rows.slice(0, -1)) expect([columns - 1, columns]).toContain(rowWidth(row));
    }
  });

  it("a comma or full stop never begins a row of Chinese or Japanese text", () => {
    expect(texts("你好世界，再见。", 8)).toEqual(["你好世", "界，再", "见。"]);
  });

  it("signs that are measured by a shortcut have the width that graphemes have", () => {
    for (const sign of ["é", "Ж", "—", "→", "─", "▎", "█", "░", "✓", "❯", "⠋", "•", "…"]) {
      expect(widthOf(sign)).toBe(1);
      expect(widthOf(`${sign}世`)).toBe(3);
    }
  });

  it("no row is wider than the terminal, whatever is in it", () => {
    for (const columns of [3, 7, 20]) {
      const rows = wrap([{ text: "see 世界 and 👩‍👩‍👧, a_long_identifier_here" }], columns, { rest: [{ text: " " }] });
      for (const one of rows) expect(rowWidth(one)).toBeLessThanOrEqual(columns);
    }
  });

  it("text from outside cannot move the cursor or turn the direction, and emoji stay whole", () => {
    expect(visible("a\x1b[2Jb\u202ec\td")).toBe("a\\x1b[2Jb<U+202E>c  d");
    expect(visible("👩‍👩‍👧")).toBe("👩‍👩‍👧");
  });

  it("a long text is as wide as its characters together, wherever it is cut to be measured", () => {
    const unit = "👩\u200d👩\u200d👧e\u0301🇩🇪你x";
    for (let shift = 0; shift < 20; shift++) {
      expect(widthOf("x".repeat(shift) + unit.repeat(300))).toBe(shift + 300 * widthOf(unit));
    }
  });

  it("a cut is shown", () => {
    expect(shorten("hello world", 8)).toBe("hello w…");
  });
});
