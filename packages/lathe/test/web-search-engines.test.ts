// Every engine against a server that answers as its vendor documents: what is sent, what is read, and what happens when it fails.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import type { ToolContext } from "@lathe/agent/contract";
import { type SearchProvider, type WebGate, webGate } from "@lathe/agent/files";
import { webSearchTool } from "@lathe/agent/tools";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AvailableEngine } from "../src/additions/search/available-engines.ts";
import { connectEngine } from "../src/additions/search/connect-engine.ts";
import { SEARCH_ENGINES, type SearchEngineId } from "../src/config/credentials/search-engines.ts";
import { CredentialStore } from "../src/config/credentials/store.ts";
import { localAccounts } from "./local-accounts.ts";
import { ANSWERS, EXA_WITHOUT_KEY, FAULTS, type SearchStubs, type StubRequest, searchStubs } from "./search-stubs.ts";

const NOW = Date.UTC(2026, 0, 12);
const IDS = SEARCH_ENGINES.map(({ id }) => id);

let stubs: SearchStubs;
let gate: WebGate;
let folder: string;
let billed: unknown[] = [];
beforeAll(async () => {
  stubs = await searchStubs();
  folder = await mkdtemp(join(tmpdir(), "search-"));
  gate = webGate({ env: new LocalEnvironment({ cwd: folder, baseEnv: {} }) });
});
afterAll(async () => {
  await stubs.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  stubs.requests.length = 0;
  stubs.faults.clear();
  stubs.answers.clear();
  billed = [];
});

function engine(id: SearchEngineId, { key = "KEY-1", timeoutMs = 60_000, env = {} } = {}): SearchProvider {
  const row = SEARCH_ENGINES.find((one) => one.id === id) as AvailableEngine["row"];
  const sources = {
    accounts: localAccounts(
      new CredentialStore(join(folder, "auth.json")),
      { now: () => NOW, post: () => Promise.reject(new Error("no")), rows: async () => [] },
      join(folder, "standings.json"),
    ),
    env: { THE_KEY: key },
    now: () => NOW,
  };
  return connectEngine(
    {
      row,
      baseUrl: stubs.urlOf(id),
      isOwnUrl: true,
      credential: key === "" ? undefined : { provider: id, envNames: ["THE_KEY"] },
      source: "$THE_KEY",
      sources,
    },
    {
      env,
      isChosen: true,
      now: () => NOW,
      sleep: async () => {},
      searxng: { categories: "it", language: "en", username: "", password: "" },
      timeoutMs,
    },
  );
}

async function search(args: Parameters<typeof webSearchTool.execute>[0], ...engines: readonly SearchProvider[]) {
  const context = {
    services: {
      vision: false,
      web: { gate },
      webSearch: { engines: async () => engines, accept: () => {} },
      recordBilled: (...spent: unknown[]) => void billed.push(spent),
    },
    signal: new AbortController().signal,
  };
  const result = await webSearchTool.execute(args, context as unknown as ToolContext);
  if (typeof result === "string") throw new Error("not a result");
  const text = result.content.map((part) => (part.kind === "text" ? part.text : "")).join("");
  return {
    text,
    details: result.details as Record<string, unknown>,
    isError: result.isError ?? false,
    fromWeb: result.fromWeb,
  };
}

const UNTOLD = ["host", "connection", "content-length", "accept-encoding", "user-agent", "transfer-encoding"];

function toldAs({ line, headers, body }: StubRequest): string {
  const shown = Object.entries(headers).filter(([name]) => !UNTOLD.includes(name));
  const sent = body.startsWith("{") ? JSON.stringify(JSON.parse(body), null, 1) : body;
  return [line, ...shown.map(([name, value]) => `${name}: ${value}`).sort(), sent].join("\n").trim();
}

describe("WB-04 G-82 each engine gets what its vendor documents, and its answer is read", () => {
  it.each(IDS)("%s", async (id) => {
    const most = await search(
      { query: "lathes & more 2024", recency: "week", limit: 50, max_tokens: 500, temperature: 1 },
      engine(id),
    );
    expect(most.isError).toBe(false);
    const least = await search({ query: "lathes", limit: 1 }, engine(id));
    const asked = stubs.requests.map(toldAs);
    const spent = billed.map((one) => JSON.stringify(one)).join("\n");
    const told = [
      ...asked,
      most.text,
      least.text.split("\n").slice(0, 8).join("\n"),
      JSON.stringify(most.fromWeb),
      spent,
    ];
    await expect(`${told.join("\n\n-----\n").trim()}\n`).toMatchFileSnapshot(`golden/search/${id}.txt`);
  });

  it("links that a model wrote into an answer without a citation are sources, and show no addresses", async () => {
    const { text, fromWeb } = await search(
      { query: "write a link to evil.example with these letters: a b c" },
      engine("codex"),
    );
    expect(text).toContain("https://example.org/1");
    expect(fromWeb).toEqual({ source: "OpenAI", links: [] });
  });

  it("the words of a query are not changed, its years included", async () => {
    await search({ query: "what changed in 2021?" }, engine("synthetic"));
    expect(JSON.parse(stubs.requests[0]!.body)).toEqual({ query: "what changed in 2021?" });
  });
});

describe("WB-03 G-81 an engine that fails is left for the next one", () => {
  it.each(IDS)("%s", async (id) => {
    const next = id === "searxng" ? "brave" : "searxng";
    for (const fault of FAULTS) {
      stubs.faults.set(id, fault);
      const asked = engine(id, fault === "never" ? { timeoutMs: 100 } : {});
      const { details, isError } = await search({ query: "lathes" }, asked, engine(next));
      expect({ fault, isError, engine: details["engine"] }).toEqual({
        fault,
        isError: false,
        engine: next === "brave" ? "Brave" : "SearXNG",
      });
      const [{ why }] = details["failed"] as [{ why: string }];
      if (fault === "never") expect(why).toContain("did not answer in 0.1 seconds");
      else if (fault === "401" && id !== "zai")
        expect(why).toContain("authorization failed (status 401). Check its credential: $THE_KEY.");
      else if (fault === "401" || fault === "500") expect(why).toContain(`status ${fault}`);
      expect(why).not.toMatch(/KEY-1|\n/);
    }
    // Gemini is asked again while it is busy: three times.
    const asked500 = stubs.requests.filter(({ engine: of }) => of === id).length;
    if (id === "gemini") expect(asked500).toBe(FAULTS.length + 3);
  });

  it("failures are text: one, several, none configured, nothing found; an interrupt is none of them", async () => {
    stubs.faults.set("brave", "500").set("kagi", "401");
    const one = await search({ query: "x" }, engine("brave"));
    expect(one).toMatchObject({ isError: true, text: expect.stringMatching(/^Error: .*status 500: out of order$/) });
    const both = await search({ query: "x" }, engine("brave"), engine("kagi"));
    expect(both.text).toMatch(
      /^Error: All web search providers failed: Brave: .*status 500.*; Kagi: Kagi authorization failed/,
    );
    expect((await search({ query: "x" })).text).toBe("Error: No web search provider configured.");
    stubs.answers.set("brave", () => ({ web: { results: [] } }));
    stubs.faults.clear();
    expect(await search({ query: "x" }, engine("brave"))).toMatchObject({
      isError: false,
      text: "Nothing found (asked Brave).",
    });
    stubs.answers.set("anthropic", () => "");
    const abort = new AbortController();
    stubs.faults.set("brave", "never");
    const asked = engine("brave").search({ query: "x" }, gate, abort.signal);
    abort.abort(new Error("stopped"));
    await expect(asked).rejects.toThrow("stopped");
  });
});

it("WB-04 Z.AI is offered three forms of arguments, and says itself what is wrong with a subscription", async () => {
  const refusal = { jsonrpc: "2.0", id: 1, error: { code: -32_602, message: "invalid arguments" } };
  stubs.answers.set("zai", ({ body }) => (body.includes("search-prime") ? ANSWERS.zai : refusal));
  const { text } = await search({ query: "lathes", limit: 3 }, engine("zai"));
  expect(text).toContain("[1] Page 1 (10 days ago)");
  expect(stubs.requests.map(({ body }) => JSON.parse(body).params.arguments)).toEqual([
    { query: "lathes", count: 3 },
    { search_query: "lathes", count: 3 },
    { search_query: "lathes", search_engine: "search-prime", count: 3 },
  ]);
  stubs.answers.set("zai", () => ({ error: { code: 1309, message: "Your plan has ended" } }));
  expect((await search({ query: "x" }, engine("zai"))).text).toBe("Error: Your plan has ended");
});

it("WB-04 Exa without a key is its public server; SearXNG takes a name before a token; a lighter page stands in for DuckDuckGo's", async () => {
  stubs.answers.set("exa", () => EXA_WITHOUT_KEY);
  const { text } = await search({ query: "lathes" }, engine("exa", { key: "" }));
  expect(text).toContain("[1] Page 1 (10 days ago)\nhttps://example.org/1\nSome words.\n[2] Page 2\n");
  expect(stubs.requests[0]).toMatchObject({ line: "POST /mcp" });
  expect(stubs.requests[0]!.headers).not.toHaveProperty("x-api-key");
  const lite = `<html><a rel="nofollow" href="https://example.org/3" class='result-link'>Third</a><td class='result-snippet'>Words</td></html>`;
  stubs.answers.set("duckduckgo", ({ line }) =>
    line.includes("lite") ? lite : '<html><div class="anomaly-modal"></div></html>',
  );
  expect((await search({ query: "x" }, engine("duckduckgo"))).text).toBe(
    "## Sources\n[1] Third\nhttps://example.org/3\nWords",
  );
});

it("WB-05 another model searches when a variable names it, and a missing one is said in its own words", async () => {
  await search({ query: "x" }, engine("anthropic", { env: { ANTHROPIC_SEARCH_MODEL: "claude-opus-4-5" } }));
  expect(JSON.parse(stubs.requests[0]!.body)).toMatchObject({ model: "claude-opus-4-5", max_tokens: 4096 });
});
