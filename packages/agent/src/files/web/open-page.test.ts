import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../test/call-tool.ts";
import { readTool } from "../../tools/builtin/read/index.ts";
import { webGate } from "./gate/web-gate.ts";
import { PageCache } from "./page-cache.ts";

const body = (text: string) => `<html><body><h1>${text}</h1><p>${"words of the page ".repeat(20)}</p></body></html>`;
const pages: Readonly<Record<string, readonly [string, string, number?]>> = {
  "/alt": ["text/html", `<head><link rel="alternate" type="text/markdown" href="/alt.md"></head>${body("Html")}`],
  "/alt.md": ["text/markdown", "# Markdown\n\nof the same page\n"],
  "/plain": ["text/html", body("Plain")],
  "/thin": ["text/html", "<html><body><div id=app></div></body></html>"],
  "/thin.md": ["text/markdown", "# From the suffix\n"],
  "/data": ["application/json", '{"a":[1,2]}'],
  "/feed": [
    "application/rss+xml",
    "<rss><channel><title>News</title><item><title>One &amp; two</title><link>http://x/1</link></item></channel></rss>",
  ],
  "/lines": ["text/plain", Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join("")],
  "/long": ["text/plain", Array.from({ length: 900 }, (_, i) => `line ${i + 1}\n`).join("")],
  "/wide": ["text/plain", `${"w".repeat(1023)}\n`.repeat(90)],
  "/gone": ["text/html", body("Not here"), 404],
  "/pic": ["image/png", "\u0089PNG"],
};

let server: Server;
let origin: string;
const hits: string[] = [];
let photo: Buffer;
beforeAll(async () => {
  const noise = { type: "gaussian", mean: 128, sigma: 50 } as const;
  photo = await sharp({ create: { width: 700, height: 500, channels: 3, background: "#000", noise } })
    .png()
    .toBuffer();
  server = createServer((request, response) => {
    hits.push(request.url ?? "");
    if (request.url === "/photo") return response.writeHead(200, { "content-type": "image/png" }).end(photo);
    if (request.url === "/to-private") return response.writeHead(302, { location: "http://10.0.0.1/" }).end();
    const [type, text, status = 200] = pages[request.url ?? ""] ?? ["text/plain", "nothing", 404];
    response.writeHead(status, { "content-type": type });
    response.end(type === "image/png" ? Buffer.from("89504e470d0a1a0a", "hex") : text);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
  Object.assign(bench.services, {
    web: { gate: webGate({ env: bench.env, allowPrivate: true }) },
    pages: new PageCache(),
  });
  hits.length = 0;
});
afterEach(() => bench.close());
const read = (path: string) => bench.text(readTool, { path: origin + path });

it.each([
  ["/alt", "alternate-markdown", "# Markdown"],
  ["/plain", "html", "# Plain"],
  ["/thin", "md-suffix", "# From the suffix"],
  ["/data", "json", '  "a": ['],
  ["/feed", "feed", "## One & two"],
  ["/gone", "failed", "The server answered with status 404."],
  ["/plain:raw", "raw-html", "<h1>Plain</h1>"],
  ["/pic", "image", "[image]"],
])("WB-01 T-READ-10 %s is read as %s", async (path, method, text) => {
  const shown = await read(path);
  expect(shown).toMatch(/^URL: http:\/\/127\.0\.0\.1:\d+\//);
  expect(shown).toContain(`\nMethod: ${method}\n`);
  expect(shown).toContain(text);
});

it("WB-01 a picture of a page has at most 300 KiB", async () => {
  expect(photo.length).toBeGreaterThan(300 << 10);
  const { content } = await bench.call(readTool, { path: `${origin}/photo` });
  const image = content.find((part) => part.kind === "image")?.image as { data: Uint8Array };
  expect(image.data.length).toBeLessThanOrEqual(300 << 10);
});

it("T-READ-10 the next lines of a page cost no request, and its raw form is another page", async () => {
  await read("/lines");
  expect(await read("/lines:10-12")).toContain("10:line 10\n11:line 11\n12:line 12");
  expect(hits).toEqual(["/lines"]);
  await read("/lines:raw");
  expect(hits).toEqual(["/lines", "/lines"]);
});

it("WB-01 of a long page the beginning is shown, all of it is an artifact, and its lines cost no request", async () => {
  const shown = await read("/long");
  expect(shown).toContain("\nNotes: all 900 lines are in artifact://0\n---\n");
  expect(shown).toContain("300:line 300\n[600 more lines; continue with");
  expect(Buffer.concat(bench.artifacts[0]!).toString()).toBe(pages["/long"]![1]);
  expect(await read("/long:500-501")).toContain("500:line 500\n501:line 501");
  expect(await read("/long:301-")).toContain("900:line 900");
  expect(await read("/wide")).toMatch(/\n49:w+\n(?:50:w+\n)?\[4\d more lines/);
  expect(hits).toEqual(["/long", "/wide"]);
  expect(bench.artifacts).toHaveLength(2);
});

it("WB-01 a page that leads to a private address is refused, one without web access says so", async () => {
  Object.assign(bench.services, { web: { gate: webGate({ env: bench.env }) } });
  await expect(read("/lines")).rejects.toThrow("no process of this session");
  Object.assign(bench.services, { web: undefined });
  await expect(read("/lines")).rejects.toThrow("not available here");
});
