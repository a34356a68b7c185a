// Pages of the web: what the gate costs, a page that was read before, and finding the main part of a page while it is converted.

import { writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { htmlMarkdown } from "../src/files/parser/tasks/html/html-markdown.ts";
import { readHtml } from "../src/files/parser/tasks/html/html-tokens.ts";
import { MarkdownWriter } from "../src/files/parser/tasks/html/markdown-writer.ts";
import { fetchPage } from "../src/files/web/fetch-page.ts";
import type { GateResponse } from "../src/files/web/gate/types.ts";
import { webGate } from "../src/files/web/gate/web-gate.ts";
import { PageCache } from "../src/files/web/page-cache.ts";
import { readTool } from "../src/tools/builtin/read/index.ts";
import { byteLines } from "../src/world/process/byte-lines.ts";
import { toolBench } from "../test/call-tool.ts";

const ROUNDS = 120;
const REQUESTS = 60;
const BASE = "https://docs.example/";

export const benches: Bench[] = [
  { name: "page of 1 MB from the session's server, through the gate over a plain request", run: gateOverPlain },
  { name: "page that was read before over a file", run: cachedOverFile },
  { name: "main part of a page over the whole page", run: mainOverWhole },
];

const PAGE_SERVER = `
const page = Buffer.alloc(1 << 20, "a line of the page\\n");
const server = require("node:http").createServer((_, answer) => answer.setHeader("content-type", "text/plain").end(page));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

/** The server is a process of the session, so whose it is is looked up as well. */
async function gateOverPlain() {
  const bench = await toolBench();
  const server = await bench.env.startProcess!([process.execPath, "-e", PAGE_SERVER]);
  const port = Number((await byteLines(server.stdout).next()).value);
  const url = `http://127.0.0.1:${port}/`;
  const gate = webGate(bench);
  const limits = { maxBytes: 4 << 20, maxRedirects: 5, timeoutMs: 60_000 };
  const { signal } = new AbortController();
  const result = await pairs(
    async () => (await fetchPage(gate, url, limits, signal)).body.length,
    () => plainBody(url),
  );
  await bench.close();
  return ratio(result.ours, result.other, { budget: 1.5, unit: "ms" });
}

function plainBody(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, async (response) => resolve(Buffer.concat(await response.toArray()).length)).on(
      "error",
      reject,
    );
  });
}

/** The same text, read by the same tool. */
async function cachedOverFile() {
  const bench = await toolBench();
  const text = Array.from({ length: 250 }, (_, n) => `line ${n} of the page, with some words in it`).join("\n");
  await writeFile(join(bench.dir, "page.txt"), text);
  const url = "https://docs.example/page.txt";
  const answer = async (): Promise<GateResponse> => ({
    ...{ status: 200, headers: { "content-type": "text/plain" } },
    body: Readable.from([Buffer.from(text)]),
  });
  Object.assign(bench.services, { web: { gate: { ...webGate(bench), request: answer } }, pages: new PageCache() });
  const read = async (path: string): Promise<number> => (await bench.text(readTool, { path })).length;
  const result = await pairs(
    () => read(url),
    () => read("page.txt"),
  );
  await bench.close();
  return ratio(result.ours, result.other, { budget: 1.2, unit: "ms" });
}

/** The median of pairs: a loaded machine slows neighbouring rounds alike. The first rounds warm up. */
async function pairs(ours: () => Promise<unknown>, other: () => Promise<unknown>) {
  const rounds: { ours: number; other: number }[] = [];
  for (let round = 0; round < REQUESTS + 10; round++) {
    const took = [];
    for (const work of round % 2 === 0 ? [ours, other] : [other, ours]) {
      const start = performance.now();
      await work();
      took.push(performance.now() - start);
    }
    const [first = 0, second = 0] = took;
    rounds.push(round % 2 === 0 ? { ours: first, other: second } : { ours: second, other: first });
  }
  return rounds.slice(10).sort((a, b) => a.ours / a.other - b.ours / b.other)[REQUESTS >> 1]!;
}

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
