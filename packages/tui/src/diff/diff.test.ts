import { describe, expect, it } from "vitest";
import { rowText, rowWidth } from "../rows/wrap.ts";
import { diffHeadline, diffRows, fileDiffs } from "./diff-rows.ts";

const shown = (...[change, columns, options]: Parameters<typeof diffRows>): string[] =>
  diffRows(change, columns, options).map(rowText);
const headline = (change: Parameters<typeof fileDiffs>[0]): string[] =>
  fileDiffs(change).map((diff) => rowText({ spans: diffHeadline(diff) }));
const lines = (count: number, change: Record<number, string> = {}): string =>
  Array.from({ length: count }, (_, index) => `${change[index + 1] ?? `line ${index + 1}`}\n`).join("");

describe("diffs", () => {
  it("show line numbers, signs and three lines around a change", () => {
    expect(shown({ path: "a", before: lines(12), after: lines(12, { 6: "new six" }) }, 40)).toEqual([
      "3   line 3",
      "4   line 4",
      "5   line 5",
      "6 - line 6",
      "6 + new six",
      "7   line 7",
      "8   line 8",
      "9   line 9",
    ]);
  });

  it("a mark stands between changes that are far apart", () => {
    const rows = shown({ path: "a", before: lines(100), after: lines(100, { 2: "x", 90: "y" }) }, 40);
    expect(rows[0]).toBe(" 1   line 1");
    expect(rows[6]).toBe(" …");
    expect(rows[7]).toBe("87   line 87");
  });

  it("mark the words that changed, and none in lines that have little in common", () => {
    const rows = diffRows({ path: "a", before: "return a + b;\n", after: "return a * b;\n" }, 40);
    const marked = rows.map(({ spans }) => spans.filter(({ style }) => style?.inverse).map(({ text }) => text));
    expect(marked).toEqual([["+"], ["*"]]);
    const other = diffRows({ path: "a", before: "alpha beta\n", after: "something else entirely\n" }, 40);
    expect(other.flatMap(({ spans }) => spans).some(({ style }) => style?.inverse)).toBe(false);
    const off = diffRows({ path: "a", before: "a b c d\n", after: "a b x d\n" }, 40, { wordMarks: false });
    expect(off.flatMap(({ spans }) => spans).some(({ style }) => style?.inverse)).toBe(false);
  });

  it("long lines go on beside the gutter, wide characters included", () => {
    const change = { path: "a", before: "", after: `${"x".repeat(12)}世界\n` };
    expect(shown(change, 12)).toEqual(["1 + xxxxxxxx", "    xxxx世界"]);
    for (const row of diffRows(change, 12)) expect(rowWidth(row)).toBeLessThanOrEqual(12);
  });

  it("only so many rows are shown, and the others are counted", () => {
    expect(shown({ path: "a", after: lines(50) }, 40, { maxRows: 4 })).toEqual([
      " 1 + line 1",
      " 2 + line 2",
      " 3 + line 3",
      "… 47 more lines",
    ]);
    expect(shown({ path: "a", after: lines(4) }, 40, { maxRows: 4 })).toHaveLength(4);
  });

  it("the headline says what happened to the file", () => {
    expect(headline({ path: "a.ts", before: "x\n", after: "y\nz\n" })).toEqual(["a.ts (+2 -1)"]);
    expect(headline({ path: "a.ts", after: "y\n" })).toEqual(["a.ts new (+1 -0)"]);
    expect(headline({ path: "a.ts", before: "y\n" })).toEqual(["a.ts deleted (+0 -1)"]);
    expect(headline({ path: "a.png", before: "\0", after: "\0\0" })).toEqual(["a.png binary"]);
    expect(headline({ path: "a\x1b[2J", after: "x\n" })).toEqual(["a\\x1b[2J new (+1 -0)"]);
  });

  it("unified diffs of git are read: several files, renames, new, deleted and binary ones", () => {
    const text = [
      "diff --git a/one.ts b/one.ts",
      "index 1..2 100644",
      "--- a/one.ts",
      "+++ b/one.ts",
      "@@ -1,2 +1,2 @@ function",
      " same",
      "--- old",
      "++++ new",
      "\\ No newline at end of file",
      "diff --git a/old name.ts b/new name.ts",
      "similarity index 100%",
      "rename from old name.ts",
      "rename to new name.ts",
      "diff --git a/gone b/gone",
      "deleted file mode 100644",
      "--- a/gone",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-bye",
      "diff --git a/p.png b/p.png",
      "Binary files a/p.png and b/p.png differ",
      "",
    ].join("\n");
    expect(headline(text)).toEqual([
      "one.ts (+1 -1)",
      "new name.ts from old name.ts",
      "gone deleted (+0 -1)",
      "p.png binary",
    ]);
    expect(shown(text, 60)).toEqual([
      "one.ts (+1 -1)",
      "1   same",
      "2 - -- old",
      "2 + +++ new",
      "new name.ts from old name.ts",
      "gone deleted (+0 -1)",
      "1 - bye",
      "p.png binary",
      "Binary file: no lines to show",
    ]);
  });

  it("control characters, tabs and line ends of other systems are harmless", () => {
    expect(shown({ path: "a", before: "a\tb\r\n", after: "a\tc\r\n" }, 40)).toEqual(["1 - a   b", "1 + a   c"]);
    expect(shown({ path: "a", after: "\x1b[31mred\n" }, 40)).toEqual(["1 + \\x1b[31mred"]);
    expect(shown({ path: "a", before: "x\n", after: "x\r\n" }, 40)).toEqual(["1 - x", "1 + x\\x0d"]);
  });

  it("files that have nothing in common do not take for ever", () => {
    const before = lines(6_000);
    const after = before.replaceAll("line", "row");
    expect(fileDiffs({ path: "a", before, after })[0]).toMatchObject({ added: 6_000, removed: 6_000 });
  });
});
