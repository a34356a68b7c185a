import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { loadLanguage } from "../highlight/languages.ts";
import type { Row } from "../rows/row.ts";
import { rowText, rowWidth } from "../rows/wrap.ts";
import { SYMBOL_SETS } from "../theme/symbol-sets.ts";
import { MarkdownStream, prepareMarkdown, renderMarkdown } from "./stream.ts";

const symbols = SYMBOL_SETS.unicode;
const texts = (rows: readonly Row[]): string[] => rows.map(rowText);

const PIECES = [
  "a paragraph with **bold** and `code`",
  "plain words 世界 👩‍👩‍👧 é",
  "# Heading",
  "- item",
  "  - nested",
  "   text under it",
  "1. first",
  "2) other",
  "- [x] done",
  "> quote",
  "> - in quote",
  "```ts",
  "```",
  "const a = `x; /* open",
  "*/ return 1;",
  "~~~",
  "    indented",
  "| a | b |",
  "|---|--:|",
  "| 1 | two words |",
  "---",
  "===",
  "<div>",
  "[link](https://x.y/z) www.z.org",
  "\tTab",
  "esc \x1b[2J bidi \u202e",
  "**open",
  "",
  "",
];
const document = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom("\n", "\n", "\n", "\r\n", " ")), { maxLength: 40 })
  .map((lines) => lines.flat().join(""));

/** Feeds the text in pieces and takes rows after some of them, as the screen does. */
function streamText(text: string, cuts: readonly number[], columns: number): { rows: Row[]; tallestLive: number } {
  const stream = new MarkdownStream();
  const rows: Row[] = [];
  let tallestLive = 0;
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  for (const [index, place] of [...places, text.length].entries()) {
    stream.add(text.slice(index === 0 ? 0 : places[index - 1], place));
    rows.push(...stream.takeFinished({ columns, symbols }));
    tallestLive = Math.max(tallestLive, stream.render({ columns, symbols }).length);
  }
  stream.end();
  rows.push(...stream.takeFinished({ columns, symbols }));
  expect(stream.render({ columns, symbols })).toEqual([]);
  return { rows, tallestLive };
}

describe("markdown in pieces", () => {
  beforeAll(() => loadLanguage("typescript"));

  it("looks the same however the text was cut, and no row is wider than the terminal", () => {
    fc.assert(
      fc.property(
        document,
        fc.array(fc.nat(2_000), { maxLength: 12 }),
        fc.integer({ min: 12, max: 90 }),
        (text, cuts, columns) => {
          const whole = renderMarkdown(text, columns);
          expect(streamText(text, cuts, columns).rows).toEqual(whole);
          for (const row of whole) expect(rowWidth(row)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it("nothing from outside reaches a row raw, not even in a preview", () => {
    fc.assert(
      fc.property(document, fc.nat(2_000), (text, cut) => {
        const stream = new MarkdownStream();
        stream.add(text.slice(0, cut % (text.length + 1)));
        const rows = [...stream.takeFinished({ columns: 40, symbols }), ...stream.render({ columns: 40, symbols })];
        for (const row of rows) expect(rowText(row)).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
      }),
    );
  });

  it("a code block of 500 lines and a list of 500 items keep only a few rows live", () => {
    const code = `\`\`\`ts\n${"const value = compute(1);\n".repeat(500)}\`\`\`\n`;
    const list = "- an item of the list\n".repeat(500);
    const table = `| a | b |\n|---|---|\n${"| one | two |\n".repeat(500)}`;
    const cuts = Array.from({ length: 600 }, (_, index) => index * 37);
    expect(streamText(code, cuts, 80).tallestLive).toBeLessThanOrEqual(3);
    expect(streamText(list, cuts, 80).tallestLive).toBeLessThanOrEqual(3);
    expect(streamText(table, cuts, 80).tallestLive).toBeLessThanOrEqual(24);
  });

  it("of a word without end only the last 16,000 characters are rendered again", () => {
    const word = "x".repeat(100_000);
    const cuts = Array.from({ length: 50 }, (_, index) => index * 2_000);
    const { rows, tallestLive } = streamText(word, cuts, 80);
    expect(tallestLive).toBeLessThanOrEqual(16_000 / 80);
    expect(rows.map(({ spans }) => spans.map(({ text }) => text).join("")).join("")).toBe(word);
  });

  it("marks that are not closed yet are not shown", () => {
    const live = (text: string): string[] => {
      const stream = new MarkdownStream();
      stream.add(text);
      return texts(stream.render({ columns: 40, symbols }));
    };
    expect(live("some **bold wo")).toEqual(["some bold wo"]);
    expect(live("some `co")).toEqual(["some co"]);
    expect(live("a\n\n##")).toEqual(["a"]);
    expect(live("a\n\n- ")).toEqual(["a"]);
    expect(live("```ts")).toEqual([]);
    expect(live("| a | b |\n| -")).toEqual([]);
    expect(live("```ts\nlet a = `x")).toEqual(["  let a = `x"]);
    expect(live("```ts\nlet a\n``")).toEqual(["  let a"]);
  });

  it("a row of a table appears when it is whole: half of it would move the columns of all others", () => {
    const stream = new MarkdownStream();
    stream.add("| a | b |\n|---|---|\n| 1 | 2 |\n| a long ce");
    expect(texts(stream.render({ columns: 40, symbols }))).toEqual(["a  b", "1  2"]);
    stream.add("ll | 3 |\n");
    expect(texts(stream.render({ columns: 40, symbols })).at(-1)).toBe("a long cell  3");
  });

  it("code whose colours do not come does not pile up below the finished rows", () => {
    const stream = new MarkdownStream();
    stream.add(`\`\`\`kotlin\n${"val a = 1\n".repeat(5_000)}`);
    expect(stream.takeFinished({ columns: 40, symbols: SYMBOL_SETS.unicode }).length).toBeGreaterThan(4_900);
    expect(stream.render({ columns: 40, symbols: SYMBOL_SETS.unicode }).length).toBeLessThan(100);
  });

  it("code waits for the colours of its language, shown plain below the finished rows until then", async () => {
    const stream = new MarkdownStream();
    stream.add("text\n\n```ruby\ndef a\n");
    expect(texts(stream.takeFinished({ columns: 40, symbols }))).toEqual(["text", ""]);
    expect(texts(stream.render({ columns: 40, symbols }))).toEqual(["  def a"]);
    await prepareMarkdown("> ```ruby\n");
    const [row] = stream.takeFinished({ columns: 40, symbols });
    expect(row?.spans.map(({ style }) => style?.color)).toContain("syntaxKeyword");
    expect(stream.render({ columns: 40, symbols })).toEqual([]);
  });

  it("a line that never ends is still shown piece by piece", () => {
    const text = "word ".repeat(10_000);
    const { rows } = streamText(text, [], 100);
    expect(rows).toEqual(renderMarkdown(text, 100));
    expect(rows.length).toBeGreaterThan(490);
  });

  it("rows for another width come after a resize, and the same rows as long as nothing changes", () => {
    const stream = new MarkdownStream();
    stream.add("one two three four");
    const wide = stream.render({ columns: 40, symbols });
    expect(stream.render({ columns: 40, symbols })).toBe(wide);
    expect(texts(stream.render({ columns: 10, symbols }))).toEqual(["one two", "three four"]);
  });

  it("the address of a link does not flash up while it is still coming", () => {
    const stream = new MarkdownStream();
    stream.add("see [the notes](https://exam");
    expect(texts(stream.render({ columns: 60, symbols }))).toEqual(["see the notes"]);
    stream.add("ple.com/) and more");
    expect(texts(stream.render({ columns: 60, symbols }))).toEqual(["see the notes and more"]);
  });
});

describe("links by name", () => {
  const linked = (rows: readonly Row[]): string[] =>
    rows.flatMap(({ spans }) => spans.flatMap(({ text, style }) => (style?.link ? `${text} ${style.link}` : [])));
  const text = 'See [the docs][D 1], [d 1][] and a[i][j].\n\n[d  1]: <https://x.y/z> "Docs"\n';

  it("lead to their address, wherever in the text it stands; what no address names stays as written", () => {
    const rows = renderMarkdown(text, 80);
    expect(texts(rows)[0]).toBe("See the docs, d 1 and a[i][j].");
    expect(linked(rows)).toEqual(expect.arrayContaining(["the docs https://x.y/z", "d 1 https://x.y/z"]));
  });

  it("in code are no links, and an address in code is none", () => {
    const rows = renderMarkdown("```\n[a]: https://x.y\n```\n\n[b][a] `[b][a]`\n", 80);
    expect(texts(rows).at(-1)).toBe("[b][a] [b][a]");
  });

  it("an address that could do harm is written out, not linked", () => {
    const rows = renderMarkdown("[x][a]\n\n[a]: javascript:alert(1)\n", 80);
    expect(texts(rows)[0]).toBe("x (javascript:alert(1))");
    expect(linked(rows)).toEqual([]);
  });
});
