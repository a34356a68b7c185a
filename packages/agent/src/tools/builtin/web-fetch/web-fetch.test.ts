import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { Parser } from "../../../files/parser/parser.ts";
import { webGate } from "../../../files/web/gate/web-gate.ts";
import { isPrivateAddress } from "../../../world/net/address.ts";
import { webSearchTool } from "../web-search/index.ts";
import { webFetchTool } from "./index.ts";

const LARGE = "<div><p>some <b>text</b>".repeat(200_000);
let markSent: () => void;
const sent = new Promise<void>((resolve) => {
  markSent = resolve;
});

let bench: Bench;
let server: Server;
let url: string;
beforeEach(async () => {
  bench = await toolBench();
  const gate = webGate({ env: bench.env, allowPrivate: true });
  bench.services.web = { gate, fetch: { maxBytes: 10_000, maxRedirects: 2, timeoutMs: 2_000 } };
  server = createServer((request, response) => {
    const html = (text: string | Buffer) => response.writeHead(200, { "content-type": "text/html" }).end(text);
    if (request.url === "/large") html(LARGE).once("finish", () => markSent());
    else if (request.url === "/page") html("<h1>Title</h1><script>alert(1)</script><p>Some <b>bold</b> text</p>");
    else if (request.url === "/gzip") {
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(gzipSync("packed"));
    } else if (request.url === "/cut") {
      const packed = gzipSync(randomBytes(8000));
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
      response.write(packed.subarray(0, 4000), () => response.destroy());
    } else if (request.url === "/loop") response.writeHead(302, { location: "/loop" }).end();
    else if (request.url === "/moved") response.writeHead(301, { location: "/page" }).end();
    else if (request.url === "/inside") response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    else if (request.url === "/big") response.writeHead(200, { "content-type": "text/plain" }).end("x".repeat(50_000));
    else if (request.url === "/binary") response.writeHead(200, { "content-type": "image/png" }).end("x");
    else if (request.url === "/latin") {
      response
        .writeHead(200, { "content-type": "text/html; charset=ISO-8859-1" })
        .end(Buffer.from("<p>caf\xe9", "latin1"));
    } else if (request.url === "/meta") {
      html(Buffer.from('<meta charset="shift_jis"><p>\x93\xfa', "latin1"));
    } else if (request.url === "/drip") {
      response.writeHead(200, { "content-type": "text/plain" });
      const timer = setInterval(() => response.write("."), 20);
      response.once("close", () => clearInterval(timer));
    } else if (request.url !== "/hang") response.writeHead(404, { "content-type": "text/plain" }).end("no such page");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await bench.close();
});

describe("web_fetch", () => {
  it("TL-07 turns a page into markdown, follows redirects, unpacks, and keeps an error page's text", async () => {
    expect(await bench.text(webFetchTool, { url: `${url}/page` })).toBe("# Title\n\nSome **bold** text");
    expect(await bench.text(webFetchTool, { url: `${url}/moved` })).toContain("# Title");
    expect(await bench.text(webFetchTool, { url: `${url}/gzip` })).toBe("packed");
    const missing = await bench.call(webFetchTool, { url: `${url}/none` });
    expect(missing.isError).toBe(true);
    expect(missing.content[0]).toMatchObject({ text: `${url}/none answered with status 404.\nno such page` });
  });

  it("TL-07 reads a page in the encoding that its server or the page itself names", async () => {
    expect(await bench.text(webFetchTool, { url: `${url}/latin` })).toBe("café");
    expect(await bench.text(webFetchTool, { url: `${url}/meta` })).toBe("日");
  });

  it("gives up on a page that trickles for ever, also when memory is cleaned up in the meantime", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const cleaning = setInterval(collect, 400);
    try {
      const fetched = bench.call(webFetchTool, { url: `${url}/drip` });
      await expect(fetched).rejects.toThrow("/drip did not answer in 2 seconds.");
    } finally {
      clearInterval(cleaning);
    }
  });

  it("stays within its limits: size, redirects, time, kind", async () => {
    expect(await bench.text(webFetchTool, { url: `${url}/big` })).toContain("only its first 10000 bytes were read");
    await expect(bench.call(webFetchTool, { url: `${url}/loop` })).rejects.toThrow("more than 2 times");
    await expect(bench.call(webFetchTool, { url: `${url}/hang` })).rejects.toThrow("did not answer in 2 seconds");
    await expect(bench.call(webFetchTool, { url: `${url}/binary` })).rejects.toThrow("not text");
    await expect(bench.call(webFetchTool, { url: "file:///etc/passwd" })).rejects.toThrow("use http or https");
    await expect(bench.call(webFetchTool, { url: "page" })).rejects.toThrow("has no scheme");
    await expect(bench.call(webFetchTool, { url: "localhost:3000/a" })).rejects.toThrow("http://localhost:3000/a.");
    await expect(bench.call(webFetchTool, { url: "example.org/a" })).rejects.toThrow("https://example.org/a.");
    await expect(bench.call(webFetchTool, { url: "http://" })).rejects.toThrow("is not a URL");
  });

  it("T-SUB-2 seconds to wait are at least 1 and at most 45", async () => {
    const hang = bench.call(webFetchTool, { url: `${url}/hang`, timeout: 0 });
    await expect(hang).rejects.toThrow("did not answer in 1 second.");
    const waits = vi.spyOn(globalThis, "setTimeout");
    expect(await bench.text(webFetchTool, { url: `${url}/gzip`, timeout: 9999 })).toBe("packed");
    expect(waits.mock.calls.map(([, ms]) => ms)).toContain(45_000);
    waits.mockRestore();
  });

  it("T-SUB-2 the time that a call may take covers making text of the page", async () => {
    const parser = new Parser({
      file: fileURLToPath(new URL("../../../../test/misbehaving-parser.ts", import.meta.url)),
    });
    bench.services.parser = parser;
    const call = bench.call(webFetchTool, { url: `${url}/page`, timeout: 1 });
    await expect(call).rejects.toThrow("/page took too long to convert: more than 1 second.");
    await parser.close();
  });

  it("D3 an interrupt while a large page is being read ends the call at once", async () => {
    bench.services.web = { ...bench.services.web!, fetch: { maxBytes: 8 << 20, timeoutMs: 20_000 } };
    const abort = new AbortController();
    const call = bench.call(webFetchTool, { url: `${url}/large` }, abort.signal);
    const ended = expect(call).rejects.toThrow("interrupted");
    await sent;
    abort.abort();
    await ended;
  });

  it("a packed answer that ends early is an error, not a wait", async () => {
    await expect(bench.call(webFetchTool, { url: `${url}/cut` })).rejects.toThrow("ended early");
  });

  it("refuses the machine's own network, by number and by name", async () => {
    delete bench.services.web;
    await expect(bench.call(webFetchTool, { url: `${url}/page` })).rejects.toThrow("no process of this session");
    await expect(bench.call(webFetchTool, { url: url.replace("127.0.0.1", "localhost") })).rejects.toThrow(
      "no process of this session",
    );
    await expect(bench.call(webFetchTool, { url: "http://[::1]:1/" })).rejects.toThrow("no process of this session");
    await expect(bench.call(webFetchTool, { url: "http://[::7f00:1]:1/" })).rejects.toThrow("private network");
  });

  it.each([
    ["8.8.8.8", false],
    ["172.15.0.1", false],
    ["172.16.0.1", true],
    ["169.254.169.254", true],
    ["100.64.0.1", true],
    ["::ffff:10.0.0.1", true],
    ["::ffff:7f00:1", true],
    ["64:ff9b::7f00:1", true],
    ["64:ff9b::a9fe:a9fe", true],
    ["64:ff9b::1", true],
    ["64:ff9b::808:808", false],
    ["fd00::1", true],
    ["::", true],
    ["::1", true],
    ["0:0:0:0:0:0:0:1", true],
    ["::7f00:1", true],
    ["::127.0.0.1", true],
    ["::a:1", true],
    ["::ffff:8.8.8.8", false],
    ["::ffff:0808:0808", false],
    ["0:0:0:0:0:ffff:a00:1", true],
    ["64:ff9b::10.0.0.1", true],
    ["64:ff9b:0:0:0:0:a00:1", true],
    ["64:ff9b:1::808:808", true],
    ["64:ff9b:2::1", false],
    ["2001::1", true],
    ["2001:0:abcd::1", true],
    ["2001:4860:4860::8888", false],
    ["2002:7f00:1::", true],
    ["2002:808:808::1", true],
    ["2003::1", false],
    ["2001:db8:ffff::1", true],
    ["2001:db9::1", false],
    ["3fff:fff::1", true],
    ["3fff:1000::1", false],
    ["192.0.1.1", false],
    ["192.0.2.2", true],
    ["198.51.100.255", true],
    ["203.0.113.1", true],
    ["203.0.114.1", false],
    ["240.0.0.1", true],
    ["fe80::1", true],
    ["febf::1", true],
    ["fec0::1", true],
    ["feff::1", true],
    ["fe80::1%eth0", true],
    ["2606:4700::1%eth0", true],
    ["ff02::1", true],
    ["not an address", true],
    ["2606:4700::1111", false],
  ])("%s private: %s", (address, expected) => {
    expect(isPrivateAddress(address)).toBe(expected);
  });
});

describe("web_search", () => {
  it("TL-07 shows what the host's engine found", async () => {
    const none = await bench.call(webSearchTool, { query: "x" });
    expect(none).toMatchObject({ isError: true, content: [{ text: "Error: No web search provider configured." }] });
    const search = async ({ query }: { readonly query: string }) => ({
      sources: [{ title: `About ${query}`, url: "https://example.org", snippet: "s" }],
    });
    const engines = async () => [{ name: "Stub", hosts: ["example.org"], isChosen: true, search }];
    bench.services.webSearch = { engines, accept: () => {} };
    expect(await bench.text(webSearchTool, { query: "lathes" })).toBe(
      "## Sources\n[1] About lathes\nhttps://example.org\ns",
    );
  });
});
