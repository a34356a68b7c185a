// The published package under Bun: it does the same as on Node.

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gate, startModelServer, turn } from "@lathe/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUN, hasBun, type Installed, installPackages } from "../../../../scripts/installed-packages.ts";

const PROGRAM = `
import { Client, defineTool, generate, stream } from "@lathe/llm";

const [, , what, provider, model, baseUrl] = process.argv;
const variable = { openai: "OPENAI", anthropic: "ANTHROPIC", gemini: "GEMINI" }[provider];
const env = { [variable + "_API_KEY"]: "k", [variable + "_BASE_URL"]: baseUrl, HTTP_PROXY: process.env.TEST_PROXY };
const client = Client.fromEnv({ env });
const target = { client, provider, model };

async function answer() {
  if (what === "stream") {
    let text = "";
    for await (const event of stream({ ...target, prompt: "hi" })) {
      if (event.type !== "text_delta") continue;
      text += event.delta;
      console.log("delta");
    }
    return text;
  }
  if (what === "tool") {
    const double = defineTool({
      name: "double",
      description: "Doubles a number",
      parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      execute: ({ n }) => String(n * 2),
    });
    return (await generate({ ...target, prompt: "hi", tools: [double] })).text;
  }
  const controller = new AbortController();
  if (what === "abort") process.stdin.once("data", () => controller.abort());
  const failure = await generate({ ...target, prompt: "hi", maxRetries: 0, abortSignal: controller.signal }).catch((error) => error);
  return failure.name + " " + failure.kind;
}
console.log(await answer());
await client.close();
process.stdin.destroy();
`;

describe.skipIf(!hasBun)("under Bun, from scripts/setup-system.sh", () => {
  let installed: Installed;
  let program = "";
  beforeAll(async () => {
    installed = await installPackages(["llm"]);
    program = installed.write("program.js", PROGRAM);
  });
  afterAll(() => installed.remove());

  /** Runs to its own end; returns the last line of the output and the exit code. */
  function start(what: string, provider: string, model: string, baseUrl: string, env: Record<string, string> = {}) {
    const child = spawn(BUN, [program, what, provider, model, baseUrl], {
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines: string[] = [];
    let onLine = () => {};
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      lines.push(...text.split("\n").filter((line) => line !== ""));
      onLine();
    });
    const ended = new Promise<{ last: string | undefined; code: number | null }>((resolve) =>
      child.once("close", (code) => resolve({ last: lines.at(-1), code })),
    );
    const line = () =>
      new Promise<void>((resolve) => {
        onLine = resolve;
        if (lines.length > 0) resolve();
      });
    return { child, ended, line };
  }

  it.each([
    ["openai", "gpt-5.2", 6],
    ["anthropic", "claude-sonnet-4-5", 4],
    ["gemini", "gemini-2.5-pro", 2],
  ] as const)("a stream of %s comes as it is sent, and the process ends", async (provider, model, middle) => {
    const half = gate();
    const beforeEvent = (index: number) => (index === middle ? half.wait() : undefined);
    const script = [turn.text("one two three four", { deltaChars: 4, beforeEvent })];
    await using server = await startModelServer({ script });
    const run = start("stream", provider, model, server.baseUrl(provider));
    await half.reached;
    await run.line();
    half.open();
    expect(await run.ended).toEqual({ last: "one two three four", code: 0 });
  });

  it("a tool runs and its result goes back", async () => {
    await using server = await startModelServer({
      script: [turn.calls([{ name: "double", args: { n: 21 } }]), turn.text("42 it is")],
    });
    expect(await start("tool", "openai", "gpt-5.2", server.baseUrl("openai")).ended).toEqual({
      last: "42 it is",
      code: 0,
    });
    expect(server.requests[1]?.rawBody.toString()).toContain('"output":"42"');
  });

  it("failures have the classes they have everywhere", async () => {
    await using server = await startModelServer({ script: [turn.error(401), turn.error(429)] });
    const url = server.baseUrl("openai");
    expect((await start("fail", "openai", "gpt-5.2", url).ended).last).toBe("AuthenticationError auth");
    expect((await start("fail", "openai", "gpt-5.2", url).ended).last).toBe("RateLimitError rate_limit");
    expect((await start("fail", "openai", "gpt-5.2", "http://127.0.0.1:9/v1").ended).last).toBe("NetworkError network");
  });

  it("an abort closes the connection", async () => {
    const held = gate();
    await using server = await startModelServer({ script: [turn.text("never", { before: () => held.wait() })] });
    const run = start("abort", "openai", "gpt-5.2", server.baseUrl("openai"));
    await held.reached;
    run.child.stdin.write("now\n");
    expect(await run.ended).toEqual({ last: "AbortError cancelled", code: 0 });
    expect(server.openSockets).toBe(0);
    held.open();
  });

  it("a proxy is asked in place of the server", async () => {
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(401, { "content-type": "application/json" }).end("{}");
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    await start("fail", "openai", "gpt-5.2", "http://model.example/v1", { TEST_PROXY: url }).ended;
    expect(asked).toEqual(["POST http://model.example/v1/responses"]);
    proxy.closeAllConnections();
    proxy.close();
  });
});
