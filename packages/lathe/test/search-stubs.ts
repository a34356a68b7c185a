// One HTTP server that plays every search engine: it answers as the vendors document, and records the requests.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SearchEngineId } from "../src/config/credentials/search-engines.ts";

export interface StubRequest {
  readonly engine: string;
  readonly line: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** How a stub misbehaves. */
export type Fault = "401" | "500" | "html" | "half" | "never";
export const FAULTS: readonly Fault[] = ["401", "500", "html", "half", "never"];

const page = (n: number) => ({ title: `Page ${n} about <b>lathes</b>`, url: `https://example.org/${n}?a=1&b=${n}` });
const LONG = `An excerpt &amp; more ${"of the page ".repeat(30)}`;
const sse = (...events: object[]): string =>
  events.map((event) => `event: e\ndata: ${JSON.stringify(event)}\n\n`).join("");
const ZAI_LIST = [{ title: "Page 1", link: page(1).url, content: LONG, media: "m", publish_date: "2026-01-02" }];

const HTML = `<html><body><div class="result results_links web-result"><h2 class="result__title">
<a rel="nofollow" class="result__a" href="//duckduckgo.com/y.js?ad_provider=x&amp;u3=y">An advertisement</a></h2></div>
<div class="result"><h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.org%2F1%3Fa%3D1%26b%3D1&amp;rut=0a">Page 1 &amp; <b>lathes</b></a></h2>
<a class="result__snippet" href="//duckduckgo.com/l/?uddg=x">Some <b>lathes</b> &#39;here&#x27;.</a></div>
<div class="result"><a class="result__a" href="https://example.org/2">Page 2</a></div></body></html>`;

const ANTHROPIC = {
  content: [
    { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "lathes explained" } },
    {
      type: "web_search_tool_result",
      tool_use_id: "s1",
      content: [{ type: "web_search_result", ...page(1), encrypted_content: "x", page_age: "2 days ago" }],
    },
    { type: "text", text: "Lathes turn " },
    {
      type: "text",
      text: "wood.",
      citations: [{ type: "web_search_result_location", ...page(1), cited_text: LONG, encrypted_index: "x" }],
    },
  ],
  usage: { input_tokens: 1000, output_tokens: 100, server_tool_use: { web_search_requests: 2 } },
};

const CODEX = {
  output: [
    { type: "web_search_call", id: "w", status: "completed", action: { type: "search", query: "lathes" } },
    {
      type: "message",
      role: "assistant",
      content: [
        {
          type: "output_text",
          text: "See [Page 1](https://example.org/1) and https://example.org/2.",
          annotations: [],
        },
      ],
    },
  ],
  usage: { input_tokens: 2000, output_tokens: 50, input_tokens_details: { cached_tokens: 0 } },
};

const GEMINI = [
  { candidates: [{ content: { parts: [{ text: "Lathes turn " }] } }] },
  {
    candidates: [
      {
        content: { parts: [{ text: "wood." }] },
        finishReason: "STOP",
        groundingMetadata: {
          webSearchQueries: ["what is a lathe"],
          groundingChunks: [{ web: { uri: "https://example.org/1", title: "example.org" } }],
          groundingSupports: [{ segment: { text: "Lathes turn wood." }, groundingChunkIndices: [0] }],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 5, totalTokenCount: 125 },
  },
];

/** Each vendor's answer; a string is sent as it is. */
export const ANSWERS: Readonly<Record<SearchEngineId, object | string>> = {
  tavily: {
    query: "lathes",
    answer: "Lathes turn wood.",
    results: [
      { ...page(1), content: LONG, score: 0.9, published_date: "Fri, 02 Jan 2026 10:00:00 GMT" },
      { ...page(2), content: "short", score: 0.5 },
      { title: "no address", url: "javascript:alert(1)", content: "x" },
    ],
    response_time: 1,
  },
  perplexity: {
    model: "sonar-pro",
    usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30, cost: { total_cost: 0.006 } },
    citations: ["https://example.org/1"],
    search_results: [{ ...page(1), date: "2026-01-02", snippet: LONG }, { ...page(2) }],
    related_questions: ["Who made the first lathe?"],
    choices: [{ message: { role: "assistant", content: "Lathes turn wood [1]." }, finish_reason: "stop" }],
  },
  brave: {
    type: "search",
    web: {
      results: [
        { ...page(1), description: "Some <strong>lathes</strong>", age: "2 days ago", extra_snippets: ["More."] },
      ],
    },
  },
  jina: { code: 200, status: 20_000, data: [{ ...page(1), description: LONG, content: "", usage: { tokens: 10 } }] },
  kimi: { search_results: [{ site_name: "Example", ...page(1), snippet: LONG, content: "", date: "2026-01-02" }] },
  anthropic: ANTHROPIC,
  gemini: sse(...GEMINI),
  codex: sse({ type: "response.created", response: {} }, { type: "response.completed", response: CODEX }),
  zai: sse({
    jsonrpc: "2.0",
    id: 1,
    result: { content: [{ type: "text", text: JSON.stringify(JSON.stringify(ZAI_LIST)) }] },
  }),
  exa: {
    requestId: "r",
    results: [1, 2, 3, 4].map((n) => ({
      id: `${n}`,
      ...page(n),
      publishedDate: "2026-01-02T00:00:00.000Z",
      summary: `Summary ${n}.`,
    })),
    costDollars: { total: 0.005 },
  },
  parallel: { search_id: "s", results: [{ ...page(1), publish_date: "2026-01-02", excerpts: [LONG, "second"] }] },
  kagi: {
    meta: { trace: "t" },
    data: {
      search: [{ ...page(1), snippet: "Some <b>lathes</b>", time: "2026-01-02T00:00:00Z" }],
      direct_answer: [{ title: "Lathes turn wood.", url: "https://kagi.com" }],
      related_search: [{ title: "q", props: { question: "lathe tools" } }],
    },
  },
  synthetic: { results: [{ ...page(1), text: LONG, published: "2026-01-02T00:00:00.000Z" }] },
  searxng: {
    query: "lathes",
    results: [{ ...page(1), content: LONG, engine: "x", publishedDate: "2026-01-02T00:00:00" }, page(2)],
    answers: ["Lathes turn wood."],
    suggestions: ["lathe tools"],
  },
  duckduckgo: HTML,
};

/** The answer of the MCP server that needs no key. */
export const EXA_WITHOUT_KEY = sse({
  result: {
    content: [
      {
        type: "text",
        text: "Title: Page 1\nPublished Date: 2026-01-02\nURL: https://example.org/1\nText: Some words.\n\nTitle: Page 2\nURL: https://example.org/2\nText: Others.",
      },
    ],
  },
});

export interface SearchStubs {
  readonly requests: StubRequest[];
  /** Engines that misbehave from now on. */
  readonly faults: Map<string, Fault>;
  /** Functions that replace the usual answers. */
  readonly answers: Map<string, (request: StubRequest) => object | string>;
  urlOf(engine: string): string;
  /** Variables that redirect every engine to this server. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function searchStubs(): Promise<SearchStubs> {
  const requests: StubRequest[] = [];
  const faults: SearchStubs["faults"] = new Map();
  const answers: SearchStubs["answers"] = new Map();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, engine = "", path = ""] = /^\/([a-z]+)(.*)$/.exec(request.url ?? "") ?? [];
    const asked = {
      engine,
      line: `${request.method} ${path || "/"}`,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    requests.push(asked);
    const answer = answers.get(engine)?.(asked) ?? ANSWERS[engine as SearchEngineId] ?? {};
    reply(response, answer, faults.get(engine));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const urlOf = (engine: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${engine}`;
  return {
    requests,
    faults,
    answers,
    urlOf,
    env: Object.fromEntries(Object.keys(ANSWERS).map((id) => [`${id.toUpperCase()}_SEARCH_BASE_URL`, urlOf(id)])),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function reply(response: ServerResponse, answer: object | string, fault: Fault | undefined): void {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  const type =
    typeof answer !== "string" ? "application/json" : answer.startsWith("<") ? "text/html" : "text/event-stream";
  if (fault === "never") return;
  if (fault === "401") response.writeHead(401, { "content-type": "application/json" }).end('{"error":"no such key"}');
  else if (fault === "500") response.writeHead(500, { "content-type": "text/plain" }).end("out of order");
  else if (fault === "html")
    response.writeHead(200, { "content-type": "text/html" }).end("<html><p>Please log in.</p></html>");
  else if (fault === "half") response.writeHead(200, { "content-type": type }).end(text.slice(0, text.length >> 1));
  else response.writeHead(200, { "content-type": type }).end(text);
}
