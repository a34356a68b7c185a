// A page that talks to a model: bundled from the published package by popular bundlers, run in a real browser.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gate, startModelServer, turn } from "@lathe/testkit";
import * as esbuild from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installed, installPackages } from "../../../../scripts/installed-packages.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

const PROGRAM = `
import { Client, generate, generateObject, stream } from "@lathe/llm";
import { createProvider } from "@lathe/llm/providers";

const clientOf = (provider, baseUrl) => new Client({ providers: { [provider]: createProvider(provider, { apiKey: "k", baseUrl }) } });

globalThis.ask = async ({ provider, model, baseUrl }) => {
  const client = clientOf(provider, baseUrl);
  const events = [];
  for await (const event of stream({ client, provider, model, prompt: "hi" })) {
    events.push(event.type);
    if (event.type === "text_delta") globalThis.seen = (globalThis.seen ?? "") + event.delta;
  }
  await client.close();
  return events;
};
globalThis.objectOf = async ({ provider, model, baseUrl }) => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  return (await generateObject({ client: clientOf(provider, baseUrl), provider, model, prompt: "hi", schema })).output;
};
globalThis.failureOf = async ({ provider, model, baseUrl }, abort) => {
  const signal = abort ? AbortSignal.abort() : undefined;
  return generate({ client: clientOf(provider, baseUrl), provider, model, prompt: "hi", maxRetries: 0, ...(signal ? { abortSignal: signal } : {}) })
    .then(() => "none", (error) => error.name);
};
globalThis.clientFromEnv = () => Client.fromEnv({ env: { ANTHROPIC_API_KEY: "k" } }).providers();
`;

let installed: Installed;
beforeAll(async () => {
  installed = await installPackages(["llm"]);
  installed.write("program.js", PROGRAM);
});
afterAll(() => installed.remove());

async function byEsbuild(): Promise<{ out: string; complaints: string[] }> {
  const out = join(installed.folder, "by-esbuild");
  const { warnings } = await esbuild.build({
    entryPoints: [join(installed.folder, "program.js")],
    bundle: true,
    format: "esm",
    splitting: true,
    outdir: out,
    logLevel: "silent",
  });
  return { out, complaints: warnings.map(({ text }) => text) };
}

async function byVite(): Promise<{ out: string; complaints: string[] }> {
  const vite = await import("vite");
  const out = join(installed.folder, "by-vite");
  const complaints: string[] = [];
  await vite.build({
    root: installed.folder,
    configFile: false,
    logLevel: "silent",
    build: {
      outDir: out,
      minify: false,
      rollupOptions: {
        input: join(installed.folder, "program.js"),
        output: { entryFileNames: "program.js" },
        // Programs that vite itself does not pass on.
        onwarn: ({ code, message }) => code === "CIRCULAR_DEPENDENCY" || complaints.push(message),
      },
    },
  });
  return { out, complaints };
}

const BUNDLERS = [
  { name: "esbuild", bundle: once(byEsbuild) },
  { name: "vite", bundle: once(byVite) },
] as const;

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function allCode(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".js"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

describe.each(BUNDLERS)("the client bundled by $name for a page", ({ bundle }) => {
  it("holds no import of node, and the bundler has nothing to complain about", async () => {
    const { out, complaints } = await bundle();
    expect(complaints).toEqual([]);
    const code = allCode(out);
    expect(code).toContain("text_delta");
    expect(code).not.toMatch(/(from|import|import\(|require\()\s*["']node:/);
    expect(code).not.toMatch(/__vite-browser-external/);
  });
});

let browser: Browser | undefined;
afterAll(() => browser?.close());

describe.skipIf(!existsSync(CHROMIUM)).each(BUNDLERS)("a page made by $name in chromium", ({ bundle }) => {
  let site: Server;
  let page: Page;
  beforeAll(async () => {
    const { out } = await bundle();
    site = createServer((request, response) => {
      const file = join(out, request.url ?? "");
      if (request.url === "/")
        response.setHeader("content-type", "text/html").end("<!doctype html><title>page</title>");
      else if (existsSync(file)) response.setHeader("content-type", "text/javascript").end(readFileSync(file));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    browser ??= await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await page.addScriptTag({ url: "/program.js", type: "module" });
    await page.waitForFunction("typeof globalThis.ask === 'function'");
  });
  afterAll(async () => {
    await page?.close();
    site?.close();
  });

  const call = <T>(expression: string): Promise<T> => page.evaluate(expression) as Promise<T>;

  const target = (provider: string, model: string, baseUrl: string) => JSON.stringify({ provider, model, baseUrl });

  it.each([
    ["openai", "gpt-5.2", 6],
    ["anthropic", "claude-sonnet-4-5", 4],
    ["gemini", "gemini-2.5-pro", 2],
  ] as const)("a stream of %s is shown while it comes", async (provider, model, middle) => {
    const half = gate();
    const beforeEvent = (index: number) => (index === middle ? half.wait() : undefined);
    const script = [turn.text("one two three four", { deltaChars: 4, beforeEvent })];
    await using server = await startModelServer({ cors: true, script });
    await call("globalThis.seen = ''");
    const asked = target(provider, model, server.baseUrl(provider));
    const answer = call<string[]>(`ask(${asked})`);
    await half.reached;
    await page.waitForFunction("globalThis.seen.startsWith('one ')");
    half.open();
    const events = await answer;
    expect([await call("globalThis.seen"), events[0], events.at(-1)]).toEqual([
      "one two three four",
      "stream_start",
      "finish",
    ]);
    expect(server.requests.map(({ refused }) => refused)).toEqual([undefined]);
    expect(server.requests[0]?.headers["user-agent"]).toMatch(/Chrome/);
  });

  it("an object is checked against its schema", async () => {
    const script = [turn.text('{"city":"Oslo"}')];
    await using server = await startModelServer({ cors: true, script });
    const asked = target("openai", "gpt-5.2", server.baseUrl("openai"));
    expect(await call(`objectOf(${asked})`)).toEqual({ city: "Oslo" });
  });

  it("failures have the classes they have everywhere", async () => {
    await using server = await startModelServer({ cors: true, script: [turn.error(401), turn.error(429)] });
    const asked = target("openai", "gpt-5.2", server.baseUrl("openai"));
    expect(await call(`failureOf(${asked})`)).toBe("AuthenticationError");
    expect(await call(`failureOf(${asked})`)).toBe("RateLimitError");
    expect(await call(`failureOf(${asked}, true)`)).toBe("AbortError");
    expect(await call(`failureOf(${target("openai", "gpt-5.2", "http://127.0.0.1:9/v1")})`)).toBe("NetworkError");
  });

  it("a server that does not let pages in is a NetworkError", async () => {
    await using server = await startModelServer({ script: [turn.text("hi")] });
    expect(await call(`failureOf(${target("openai", "gpt-5.2", server.baseUrl("openai"))})`)).toBe("NetworkError");
  });

  it("a redirect is a NetworkError that says so", async () => {
    const script = [turn.raw({ status: 302, headers: { location: "/elsewhere" } })];
    await using server = await startModelServer({ cors: true, script });
    const asked = target("openai", "gpt-5.2", server.baseUrl("openai"));
    expect(await call(`failureOf(${asked})`)).toBe("NetworkError");
    expect(server.requests).toHaveLength(1);
  });

  it("Client.fromEnv takes its keys from the given environment", async () => {
    expect(await call("clientFromEnv()")).toEqual(["anthropic"]);
  });
});
