import { describe, expect, it } from "vitest";
import { rowText } from "../rows/wrap.ts";
import { SYMBOL_SETS } from "../theme/symbol-sets.ts";
import { renderMarkdown } from "./stream.ts";

const shown = (text: string, columns = 40, options = {}): string =>
  renderMarkdown(text, columns, options)
    .map((row) => rowText(row).trimEnd())
    .join("\n");

describe("markdown blocks", () => {
  it("headings have no signs, and stand apart from the text above", () => {
    expect(shown("# One #\ntext\n## Two\ntext\n\nThree\n=====\nFour\n---\n")).toBe(
      "One\ntext\n\nTwo\ntext\n\nThree\nFour",
    );
    expect(shown("#hashtag")).toBe("#hashtag");
  });

  it("lists keep their nesting and numbers, also when they are indented carelessly", () => {
    expect(shown("- a\n  more\n  - b\n    - c\n- d\n")).toBe("• a\n  more\n  • b\n    • c\n• d");
    expect(shown("1. one\n  - two\n1. three\n5. five")).toBe("1. one\n   • two\n2. three\n5. five");
    expect(shown("- [x] done\n- [ ] open")).toBe("☑ done\n☐ open");
    expect(shown("- \n- x")).toBe("•\n• x");
  });

  it("blank lines between short items are left out, between long ones they stay", () => {
    expect(shown("- a\n\n- b\n\n- c")).toBe("• a\n• b\n• c");
    expect(shown("1. a\n\n   more\n\n2. b")).toBe("1. a\n\n   more\n\n2. b");
  });

  it("wrapped items are indented under their text", () => {
    expect(shown("- one two three four", 10)).toBe("• one two\n  three\n  four");
    expect(shown("10. 你好世界你好世界", 12)).toBe("10. 你好世界\n    你好世界");
  });

  it("a year at the start of a line is no list", () => {
    expect(shown("It was in\n1998. Not later.")).toBe("It was in\n1998. Not later.");
  });

  it("quotes have a bar on every row, also when lines are continued without one", () => {
    expect(shown("> one two three\nfour\n>\n> - five\n\nsix", 12)).toBe(
      "▎ one two\n▎ three\n▎ four\n▎\n▎ • five\n\nsix",
    );
  });

  it("code is kept as written, wrapped only where a row is full, and closed by its own fence alone", () => {
    expect(shown("```\na  b\n\n  c\n```\nafter")).toBe("  a  b\n\n    c\n\nafter");
    expect(shown("````md\n```\nx\n```\n````")).toBe("  ```\n  x\n  ```");
    expect(shown("```\nabcdefghij\n```", 8)).toBe("  abcdef\n  ghij");
    expect(shown("text\n\n    indented\n\n    more\n\nend")).toBe("text\n\n  indented\n\n  more\n\nend");
    expect(shown("1. run\n   ```sh\n   ls\n   ```\n2. done")).toBe("1. run\n     ls\n2. done");
  });

  it("HTML is shown, not dropped", () => {
    expect(shown("<details>\n<b>x</b>\n</details>\n\na <i>b</i><br>c &lt;d&gt;")).toBe(
      "<details>\n<b>x</b>\n</details>\n\na <i>b</i>\nc <d>",
    );
  });

  it("the ascii set draws nothing that is not ASCII", () => {
    const text = "# A\n- b\n- [x] c\n> d\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    expect(shown(text, 40, { symbols: SYMBOL_SETS.ascii })).toMatch(/^[\n -~]*$/);
  });
});

describe("markdown tables", () => {
  const table =
    "| Name | Size | What it is |\n|:--|--:|:-:|\n| a **b** | 1 | some words about it |\n| 世界 | 2000 | x |";

  it("columns are aligned by what a terminal shows, not by characters", () => {
    expect(shown(table, 60)).toBe(
      ["Name  Size      What it is", "a b      1  some words about it", "世界  2000           x"].join("\n"),
    );
  });

  it("cells wrap when the table is too wide, and rows are kept apart then", () => {
    expect(shown(table, 26)).toBe(
      [
        "Name  Size    What it is",
        "a b      1    some words",
        "               about it",
        "────  ────  ──────────────",
        "世界  2000        x",
      ].join("\n"),
    );
  });

  it("where columns do not fit beside each other, each row is a list of fields", () => {
    expect(shown(table, 16)).toBe(
      [
        "• Name: a b",
        "  Size: 1",
        "  What it is:",
        "  some words",
        "  about it",
        "• Name: 世界",
        "  Size: 2000",
        "  What it is: x",
      ].join("\n"),
    );
  });

  it("a long table goes on with the widths of its first rows", () => {
    const rows = "| x | y |\n".repeat(30);
    const text = shown(`| a | b |\n|---|---|\n${rows}| ${"long ".repeat(6)}| z |`, 40).split("\n");
    expect(text.length).toBeGreaterThan(32);
    expect(text.slice(1, 31)).toEqual(Array.from({ length: 30 }, () => "x  y"));
  });

  it("bars in text, missing and spare cells do not break it", () => {
    expect(shown("a | b\n--|--\n`x\\|y` |\n1 | 2 | 3")).toBe("a    b\nx|y\n1    2");
    expect(shown("a | b\nno table")).toBe("a | b\nno table");
  });
});
