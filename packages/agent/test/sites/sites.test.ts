import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { CallPaths } from "../../src/contract/paths/call-paths.ts";
import { Parser } from "../../src/files/parser/parser.ts";
import { mirroredGate } from "../../src/files/web/gate/mirrors.ts";
import { webGate } from "../../src/files/web/gate/web-gate.ts";
import { loadPage } from "../../src/files/web/load-page.ts";
import { PageCache } from "../../src/files/web/page-cache.ts";
import { readSite } from "../../src/files/web/sites/read-site.ts";
import { SITES } from "../../src/files/web/sites/rows.ts";
import type { Site } from "../../src/files/web/sites/site.ts";
import { readTool } from "../../src/tools/builtin/read/index.ts";
import { webFetchTool } from "../../src/tools/builtin/web-fetch/index.ts";
import { type Bench, toolBench } from "../call-tool.ts";
import { CODE_HOSTS } from "./code-host-cases.ts";
import { PACKAGES } from "./package-cases.ts";
import { REFERENCE } from "./reference-cases.ts";
import type { SiteCase } from "./site-case.ts";
import { TALK } from "./talk-cases.ts";

const CASES: readonly SiteCase[] = [...CODE_HOSTS, ...PACKAGES, ...TALK, ...REFERENCE];
/** Answers of a broken server to any request. */
const BROKEN: Readonly<Record<string, readonly [number, string, string]>> = {
  "404": [404, "application/json", '{"message":"Not Found"}'],
  "500": [500, "text/html", "<h1>Oops</h1>"],
  HTML: [200, "text/html", "<html><body><p>Sign in to go on</p></body></html>"],
  "half JSON": [200, "application/json", '{"items":[{"id":'],
  "other JSON": [200, "application/json", '{"message":"soon"}'],
};
const PAGE = `<html><body><h1>The page itself</h1><p>${"words ".repeat(60)}</p></body></html>`;

let server: Server;
let base: string;
let bench: Bench;
let parser: Parser;
let answer: (address: string, request: IncomingMessage, response: ServerResponse) => void;
let asked: string[] = [];

beforeAll(async () => {
  parser = new Parser();
  bench = await toolBench();
  server = createServer((request, response) => {
    const address = `https://${request.url?.slice(1)}`;
    asked.push(requestText(request, address));
    answer(address, request, response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await parser.close();
  await bench.close();
});
beforeEach(() => {
  asked = [];
});

/** Every host is replaced by the test's server; the first part of the path is the host's name. */
function connect(hosts: Iterable<string>, tokens: Readonly<Record<string, string>> = {}) {
  const mirrors = Object.fromEntries([...hosts].map((host) => [`https://${host}`, `${base}/${host}`]));
  const web = { gate: mirroredGate(webGate({ env: bench.env }), mirrors), tokens };
  Object.assign(bench.services, { web, parser, pages: new PageCache() });
  return web;
}

const hostsOf = ({ url, answers }: SiteCase): Set<string> =>
  new Set([url, ...Object.keys(answers)].map((address) => new URL(address).host));

function requestText({ method, headers }: IncomingMessage, address: string): string {
  const sent = Object.entries(headers).filter(([name]) => !/^(?:host|connection)$/.test(name));
  return [`${method} ${address}`, ...sent.map(([name, value]) => `  ${name}: ${value}`)].join("\n");
}

function answerWith(answers: SiteCase["answers"]): typeof answer {
  return (address, _request, response) => {
    const body = answers[address] as { type?: string; body?: string; redirect?: string } | undefined;
    if (body === undefined) return response.writeHead(404, { "content-type": "text/plain" }).end("nothing");
    if (body.redirect) return response.writeHead(302, { location: body.redirect }).end();
    const isTyped = typeof body.body === "string" && typeof body.type === "string";
    const type = isTyped ? body.type! : "application/json; charset=utf-8";
    return response.writeHead(200, { "content-type": type }).end(isTyped ? body.body : JSON.stringify(body));
  };
}

const scope = () => {
  const { signal } = new AbortController();
  return { env: bench.env, signal, paths: new CallPaths(bench.env, signal), services: bench.services };
};

it.each(CASES)("WB-02 $site: what is asked of its API and what is read from it", async (one) => {
  connect(hostsOf(one));
  answer = answerWith(one.answers);
  const text = await bench.text(readTool, { path: one.url.replace(/#.*$/, "") });
  expect(asked.map((request) => request.split("\n")[0]!.slice(4)).sort()).toEqual(Object.keys(one.answers).sort());
  await expect(`${asked.sort().join("\n")}\n\n${text}\n`).toMatchFileSnapshot(
    `golden/${one.site.replaceAll(" ", "-")}.txt`,
  );
});

it("WB-02 every site has a golden", () => {
  expect(new Set(CASES.map(({ site }) => site.split(" ")[0]))).toEqual(new Set(SITES.map(({ name }) => name)));
});

it.each(Object.entries(BROKEN))(
  "WB-02 of a site whose API answers %s, the page itself is read",
  async (_, [status, type, body]) => {
    const pages = SITES.map(({ name }) => CASES.find(({ site }) => site === name)!);
    for (const one of pages) {
      const web = connect(hostsOf(one));
      let isFirst = true;
      answer = (address, _request, response) => {
        // For docs.rs, the requested page is the page itself.
        const isPage = address === one.url && (one.site !== "docs.rs" || !isFirst);
        isFirst = false;
        response
          .writeHead(isPage ? 200 : status, { "content-type": isPage ? "text/html" : type })
          .end(isPage ? PAGE : body);
      };
      const page = await loadPage({ url: one.url, isRaw: false }, web, scope());
      expect({ site: one.site, method: page.method, text: page.text?.slice(0, 17) }).toEqual({
        site: one.site,
        method: "html",
        text: "# The page itself",
      });
    }
  },
);

it("WB-02 the first of two matching rows wins; one that does not answer leaves it to the next", async () => {
  const web = connect(["a.example"]);
  const row = (name: string, text: string | undefined): Site => ({ name, api: [], read: async () => text });
  const read = (...sites: Site[]) => readSite("https://a.example/x", web, scope(), sites);
  expect(await read(row("one", "first"), row("two", "second"))).toEqual({ site: "one", text: "first" });
  expect(await read(row("one", undefined), row("two", "second"))).toEqual({ site: "two", text: "second" });
  const failing: Site = { name: "one", api: [], read: (url, ask) => ask.text(url.href) };
  answer = (_address, _request, response) => void response.writeHead(500).end();
  expect(await read(failing, row("two", "second"))).toEqual({ site: "two", text: "second" });
  expect(await read(failing)).toBeUndefined();
});

it("WB-02 a row asks its own hosts alone, and a token goes to its own host alone", async () => {
  const elsewhere: Site = {
    name: "far",
    api: ["https://api.example"],
    read: async (_url, ask) => `${await ask.text("https://api.example/moved")}`,
  };
  const web = connect(["a.example", "api.example", "evil.example"], { "https://api.example": "secret" });
  answer = (address, _request, response) => {
    if (address.startsWith("https://api.example"))
      response.writeHead(302, { location: "https://evil.example/x" }).end();
    else response.writeHead(200, { "content-type": "text/plain" }).end("text");
  };
  expect(await readSite("https://a.example/", web, scope(), [elsewhere])).toBeUndefined();
  expect(asked.map((request) => request.split("\n")[0])).toEqual(["GET https://api.example/moved"]);
  expect(asked[0]).toContain("  authorization: Bearer secret");
});

it("WB-02 with a token, private files of GitHub come from the host that the token is for", async () => {
  connect(["github.com", "api.github.com", "raw.githubusercontent.com"], { "https://api.github.com": "t0ken" });
  answer = answerWith({
    "https://api.github.com/repos/octo/tool/contents/src/a.ts?ref=main": {
      type: "application/vnd.github.raw+json",
      body: "export {};\n",
    },
  });
  expect(await bench.text(readTool, { path: "https://github.com/octo/tool/blob/main/src/a.ts" })).toContain(
    "1:export {};",
  );
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain("  authorization: Bearer t0ken");
});

it("WB-02 :raw and other addresses of a site are read as pages; web_fetch reads sites, too", async () => {
  const one = CASES.find(({ site }) => site === "osv")!;
  connect(hostsOf(one));
  answer = (address, request, response) =>
    address === one.url
      ? void response.writeHead(200, { "content-type": "text/html" }).end(PAGE)
      : answerWith(one.answers)(address, request, response);
  expect(await bench.text(readTool, { path: `${one.url}:raw` })).toContain("\nMethod: raw-html\n");
  expect(await bench.text(webFetchTool, { url: one.url, raw: true } as never)).toBe(PAGE);
  expect(asked.map((request) => request.split("\n")[0])).toEqual([`GET ${one.url}`, `GET ${one.url}`]);
  expect(await bench.text(webFetchTool, { url: one.url } as never)).toMatch(/^# GHSA-xxxx-yyyy-zzzz\n/);
});
