// Pages of the web: what it costs to find the main part of a page while it is converted.

import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { htmlMarkdown } from "../src/files/parser/tasks/html/html-markdown.ts";
import { readHtml } from "../src/files/parser/tasks/html/html-tokens.ts";
import { MarkdownWriter } from "../src/files/parser/tasks/html/markdown-writer.ts";

const ROUNDS = 120;
const BASE = "https://docs.example/";

export const benches: Bench[] = [{ name: "main part of a page over the whole page", run: mainOverWhole }];

/** A documentation page of about 130 KB: a sidebar, sections with links, lists, tables and code, a footer. */
function page(element: string): string {
  const sidebar = Array.from({ length: 400 }, (_, n) => `<li><a href="/api/${n}">Class number ${n}</a></li>`).join("");
  const section = `<article><h2>Title</h2><p>Some <a href="/x">link</a> and <b>bold</b> text that says what it is for.</p>
    <ul><li>one</li><li>two <code>three</code></li></ul><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
    <pre><code class="language-js">let a = 1;</code></pre></article>`;
  return `<body><div><ul>${sidebar}</ul></div><${element}>${section.repeat(250)}</${element}><footer>The end</footer></body>`;
}

/** Over the same converter that does not look for the part, on the same page. */
async function mainOverWhole() {
  const html = page("main");
  const rounds = Array.from({ length: ROUNDS }, () => {
    const other = timed(() => convertWhole(html));
    const ours = timed(() => htmlMarkdown({ html, base: BASE }));
    return { ours, other, factor: ours / other };
  });
  // The median of pairs: a loaded machine slows neighbouring rounds alike.
  const { ours, other } = rounds.sort((a, b) => a.factor - b.factor)[ROUNDS >> 1]!;
  return ratio(ours, other, { budget: 1.1, unit: "ms" });
}

function convertWhole(html: string): string {
  const writer = new MarkdownWriter(BASE);
  readHtml(html, writer);
  writer.end();
  return writer.markdown();
}

/** Processor time: other programs on the machine do not count. */
function timed(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  return process.cpuUsage(start).user / 1000;
}
