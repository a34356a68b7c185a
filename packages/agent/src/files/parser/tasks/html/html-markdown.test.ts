import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { Parser } from "../../parser.ts";
import { runParser } from "../../run-parser.ts";
import { htmlMarkdown } from "./html-markdown.ts";
import type { PageMarkdown } from "./main-part.ts";

const never = new AbortController().signal;
const convertHtml = (html: string): string => htmlMarkdown({ html }).text;
const parser = new Parser();
afterAll(() => parser.close());
const convertOutside = async (html: string, { timeoutMs = 60_000, signal = never } = {}): Promise<string> => {
  const scope = { services: { parser, vision: false }, signal };
  return (await runParser<PageMarkdown>("html", { html }, { scope, path: "https://a.example/", timeoutMs })).text;
};

describe("a page as Markdown", () => {
  it.each([
    [
      "headings and paragraphs",
      "<h1>A <b>b</b></h1>text\n  more<p>two<p>three",
      "# A **b**\n\ntext more\n\ntwo\n\nthree",
    ],
    [
      "what is no text",
      "<head><title>T</title><style>p{}</style></head><nav>n</nav><script>if (a<b) '</p>'</script>x",
      "x",
    ],
    ["a head that is never closed", "<html><head><title>T</title><meta charset=utf-8><body>x", "x"],
    ["a list in a list", "<ul><li>a<ul><li>b<li>c</ul><li>d</ul>e", "- a\n  - b\n  - c\n- d\n\ne"],
    ["items without a list", "<li>a<li>b", "- a\n- b"],
    ["items of paragraphs", "<ol start=3><li><p>a</p><p>b</p></li><li>c</li></ol>", "3. a\n\n   b\n\n4. c"],
    ["a quotation", "<blockquote><p>a</p><ul><li>b</ul></blockquote>c", "> a\n>\n> - b\n\nc"],
    [
      "a table",
      "<table><tr><th>A<th>B<tr><td>1<td><b>2</b>|<p>3</table>",
      "| A | B |\n| --- | --- |\n| 1 | **2**\\| 3 |",
    ],
    [
      "a table for looks",
      "<table><tr><td>menu</td><td><table><tr><td>a</td><td>b</td></tr></table>after</td></tr></table>",
      "menu\n\n| a | b |\n| --- | --- |\n\nafter",
    ],
    ["code", "<pre><code class='x language-js'>a &lt;b&gt;\n\n  c<br>d\n</code></pre>", "```js\na <b>\n\n  c\nd\n```"],
    ["code with backticks", "<code>a`b</code> <pre>```</pre>", "`` a`b ``\n\n````\n```\n````"],
    [
      "links",
      "see <a href='/x (1)'> the <i>page</i></a>, <a href=y></a><a name=z>plain</a>",
      "see [the _page_](/x%20%281%29), plain",
    ],
    ["a link around blocks", "<a href=/x><h3>Head</h3><p>para</p></a>", "[Head para](/x)"],
    ["a link that is never closed", "<a href=1>one <a href=2>two", "[one](1) [two](2)"],
    ["images", "<img src=a.png alt='A\n b'><img src=data:x alt=B><img alt=C>", "![A b](a.png)BC"],
    ["breaks and rules", "a<br>b<br><br>c<hr>d", "a\nb\n\nc\n\n---\n\nd"],
    ["emphasis with blanks and without words", "x<b> y </b>z<i> </i><s>w</s><b></b>", "x **y** z ~~w~~"],
    [
      "entities",
      "&lt;&amp;amp;&gt; &eacute;&nbsp;&#233;&#xe9; &bogus; &copy &#0; a&b &hellip;",
      "<&amp;> é éé &bogus; © \ufffd a&b …",
    ],
    ["tags that do not match", "<b><i>x</b></i>y<td>z</p></li></table>", "**_x_**y\nz"],
    ["markup that is none", "a < b <3 <!-- c --> <!doctype x> <?php?> d</>e", "a < b <3 de"],
    ["attributes in all spellings", '<a class=x href = "a>b" data-x=\'"\'>t</a>', "[t](a>b)"],
    ["an end in the middle of a tag", "x <a href='y", "x"],
  ])("TL-07 %s", (_, html, markdown) => {
    expect(convertHtml(html)).toBe(markdown);
  });

  it("TL-07 no page makes it fail, and every word of a plain paragraph is kept", () => {
    const tag = fc.constantFrom(
      ..."p b i a ul ol li table tr td th pre code blockquote h2 div br hr img nav script svg span textarea title".split(
        " ",
      ),
    );
    const piece = fc.oneof(
      tag.map((name) => `<${name}>`),
      tag.map((name) => `</${name}>`),
      fc.constantFrom("<a href=x>", "<!--", "-->", "<", ">", "&", "&amp;", '"', "'", "<p", " ", "\n", "word"),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        expect(typeof convertHtml(pieces.join(""))).toBe("string");
        expect(convertHtml(`<p>kept words</p>${pieces.join("")}`)).toMatch(/^kept words/);
      }),
    );
  });
});

/** A quarter of the size in the short run. */
const many = (text: string, times: number): string =>
  text.repeat(process.env["LATHE_LONG"] === undefined ? times / 4 : times);

/** Each would take quadratic time in a careless parser: many minutes at this size, and hours in the long run. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ["nested tags that are never closed", many("<div><b><ul><li><blockquote>x", 60_000)],
  ["20,000 nested tags", `${"<div>".repeat(20_000)}x${"</div>".repeat(20_000)}`],
  ["20,000 nested quotations", `${"<blockquote>".repeat(20_000)}x${"</blockquote>".repeat(20_000)}`],
  ["end tags for nothing", `${many("<i>", 100_000)}${many("</blockquote>", 100_000)}`],
  ["tables in tables", many("<table><tr><td>x", 100_000)],
  ["a tag of endless attributes", `<a ${many("x=1 ", 500_000)}>`],
  ["quotes without an end", many('<a href="', 200_000)],
  ["comments without an end", many("<!--", 500_000)],
  ["scripts without an end", many("<script>", 250_000)],
  ["ampersands", many("&", 1_000_000)],
  ["opening brackets", many("<", 1_000_000)],
  ["one endless word", many("x", 4_000_000)],
  ["one endless blank", many(" ", 4_000_000)],
  ["backticks", `<code>${many("` ", 500_000)}</code>`],
  ["a list without an end", many("<li>x", 500_000)],
  ["parts that are never closed", many("<main><article><div role=main>x", 100_000)],
];

describe("in the parser process", () => {
  it.each(HOSTILE)("D3 reads %s in time in proportion to its size", async (_, html) => {
    expect((await convertOutside(html)).length).toBeLessThan(3 * html.length);
  });

  it("D3 the session continues in the meantime: half a megabyte of ordinary HTML, in a long run five", async () => {
    const article = `<article><h2>Title</h2><p>Some <a href="/x">link</a> and <b>bold</b> text.</p><ul><li>one</li><li>two</li></ul>
      <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table><pre><code>let a = 1;</code></pre></article>`;
    for (const size of process.env["LATHE_LONG"] ? [500_000, 5_000_000] : [500_000]) {
      const count = Math.ceil(size / article.length);
      let turns = 0;
      let isDone = false;
      const converted = convertOutside(article.repeat(count)).finally(() => {
        isDone = true;
      });
      while (!isDone) {
        turns += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await converted).split("## Title")).toHaveLength(count + 1);
      expect(turns).toBeGreaterThan(20);
    }
  });

  it("D3 has a deadline, and an interrupt ends it", async () => {
    const html = HOSTILE[0]![1];
    await expect(convertOutside(html, { timeoutMs: 1 })).rejects.toThrow("longer than 0.001 s");
    const abort = new AbortController();
    const converting = convertOutside(html, { signal: abort.signal });
    abort.abort();
    await expect(converting).rejects.toThrow("interrupted");
    await expect(convertOutside(html, { signal: abort.signal })).rejects.toThrow("interrupted");
  });
});
