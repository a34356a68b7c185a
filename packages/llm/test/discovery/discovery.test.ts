import { createServer } from "node:net";
import { type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { discover, discoverLocal, localBaseUrl } from "../../src/discovery/index.ts";
import { createProvider } from "../../src/providers/index.ts";
import { Message } from "../../src/types/message.ts";
import { depsWith, streamed, toolRound } from "../providers/kit.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const models = [
  { id: "qwen3:8b", contextLength: 40960, capabilities: ["completion", "tools", "thinking"] },
  { id: "llava", contextLength: 4096, capabilities: ["completion", "vision"] },
];
const talk = [turn.calls([{ name: "weather", args: { city: "Rome" } }]), turn.text("sun")];

async function closedPort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe("AD-80 local servers", () => {
  it("AD-80 G-48 A-305 Ollama: models with window and abilities, usable in a tool round", async () => {
    server = await startModelServer({ script: talk, listings: { models }, auth: "none" });
    const env = { OLLAMA_HOST: `127.0.0.1:${server.port}` };
    const found = await discover("ollama", { deps: depsWith(env) });
    expect(found?.models).toMatchObject([
      {
        id: "qwen3:8b",
        provider: "ollama",
        contextWindow: 40960,
        supportsTools: true,
        supportsReasoning: true,
        supportsVision: false,
      },
      { id: "llava", contextWindow: 4096, supportsTools: false, supportsVision: true, input: ["text", "image"] },
    ]);
    const adapter = createProvider("ollama", { deps: depsWith(env) });
    const { second } = await toolRound(adapter, "qwen3:8b", server);
    expect(second.text).toBe("sun");
    expect(server.requests.at(-1)?.path).toBe("/v1/responses");
  });

  it("AD-80 A-305 llama.cpp: window and modalities from /props, usable in a tool round", async () => {
    server = await startModelServer({
      script: talk,
      listings: { models: [{ id: "local.gguf" }], props: { contextLength: 16384, vision: true } },
      auth: "none",
    });
    const env = { LLAMA_CPP_BASE_URL: server.url };
    const found = await discover("llama.cpp", { deps: depsWith(env) });
    expect(found?.models).toMatchObject([{ id: "local.gguf", contextWindow: 16384, supportsVision: true }]);
    await toolRound(createProvider("llama.cpp", { deps: depsWith(env) }), "local.gguf", server);
  });

  it("AD-80 A-305 LM Studio: the richer listing adds the window, usable in a tool round", async () => {
    server = await startModelServer({ script: talk, listings: { models }, auth: "none" });
    const env = { LM_STUDIO_BASE_URL: `${server.url}/v1` };
    const found = await discover("lm-studio", { deps: depsWith(env) });
    expect(found?.models.map(({ id, contextWindow }) => [id, contextWindow])).toEqual([
      ["qwen3:8b", 40960],
      ["llava", 4096],
    ]);
    await toolRound(createProvider("lm-studio", { deps: depsWith(env) }), "qwen3:8b", server);
    expect(server.requests.at(-1)?.path).toBe("/v1/chat/completions");
  });

  it("AD-80 without the richer listing the models are still there", async () => {
    server = await startModelServer({ listings: { models, missing: ["/api/v0/models", "/api/show"] }, auth: "none" });
    const deps = depsWith({});
    const studio = await discover("lm-studio", { deps, baseUrl: `${server.url}/v1` });
    expect(studio?.models.map(({ id }) => id)).toEqual(["qwen3:8b", "llava"]);
    const ollama = await discover("ollama", { deps, baseUrl: server.url });
    expect(ollama?.models[0]).toMatchObject({ contextWindow: 8192, supportsTools: true });
  });

  it("AD-80 a key goes along as a bearer, and OLLAMA_CONTEXT_LENGTH is our budget", async () => {
    server = await startModelServer({ listings: { models }, auth: "none" });
    const env = { OLLAMA_BASE_URL: server.url, OLLAMA_API_KEY: "ok", OLLAMA_CONTEXT_LENGTH: "2048" };
    const found = await discover("ollama", { deps: depsWith(env) });
    expect(found?.models.every(({ contextWindow }) => contextWindow === 2048)).toBe(true);
    expect(server.requests.every(({ headers }) => headers.authorization === "Bearer ok")).toBe(true);
  });

  it("AD-80 dead servers are no answer and no error; configured providers are not asked", async () => {
    const port = await closedPort();
    const env = {
      OLLAMA_BASE_URL: `http://127.0.0.1:${port}`,
      LLAMA_CPP_BASE_URL: `http://127.0.0.1:${port}`,
      LM_STUDIO_BASE_URL: `http://127.0.0.1:${port}/v1`,
    };
    expect(await discoverLocal({ deps: depsWith(env) })).toEqual([]);
    server = await startModelServer({ listings: { models }, auth: "none" });
    const live = { ...env, OLLAMA_BASE_URL: server.url };
    expect((await discoverLocal({ deps: depsWith(live) })).map(({ provider }) => provider)).toEqual(["ollama"]);
    expect(await discoverLocal({ deps: depsWith(live), except: ["ollama"] })).toEqual([]);
  });

  it("AD-80 a server that never answers is given up at the deadline", async () => {
    let hanging = createServer();
    let expire = () => {};
    const asked = new Promise<void>((resolve) => {
      hanging = createServer((socket) => socket.resume().once("data", () => resolve()));
    });
    await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve));
    const { port } = hanging.address() as { port: number };
    const deadlines: number[] = [];
    const deps = {
      ...depsWith({}),
      setTimer: (callback: () => void, ms: number) => {
        deadlines.push(ms);
        expire = callback;
        return { cancel: () => {} };
      },
    };
    const finding = discover("ollama", { deps, baseUrl: `http://127.0.0.1:${port}` });
    await asked;
    expire();
    expect(await finding).toBeUndefined();
    expect(deadlines).toEqual([1000]);
    await new Promise((resolve) => hanging.close(resolve));
  });

  it("AD-80 base URLs: variable order, bare host and port, usual port", () => {
    expect(localBaseUrl("ollama", { OLLAMA_BASE_URL: "http://a:1/", OLLAMA_HOST: "b:2" })).toBe("http://a:1");
    expect(localBaseUrl("ollama", { OLLAMA_HOST: "b:2" })).toBe("http://b:2");
    expect(localBaseUrl("lm-studio", {})).toBe("http://127.0.0.1:1234/v1");
  });

  it("AD-80 X-26 a server without /v1/responses gets Chat Completions, and is not asked again", async () => {
    const missing = turn.raw({
      status: 404,
      headers: { "content-type": "text/plain" },
      chunks: ["404 page not found"],
    });
    server = await startModelServer({
      script: (request) => (request.path === "/v1/responses" ? missing : turn.text("hello")),
      auth: "none",
    });
    const adapter = createProvider("ollama", { deps: depsWith({}), baseUrl: server.url });
    const ask = { model: "qwen3", messages: [Message.user("hi")] };
    expect((await streamed(adapter, ask)).text).toBe("hello");
    expect((await adapter.complete(ask, {})).text).toBe("hello");
    expect(server.requests.map(({ path }) => path)).toEqual([
      "/v1/responses",
      "/v1/chat/completions",
      "/v1/chat/completions",
    ]);
  });

  it("AD-80 a missing model is a 404 of both and does not switch the API", async () => {
    let present = false;
    server = await startModelServer({
      script: () => (present ? turn.text("hello") : turn.error(404)),
      auth: "none",
    });
    const adapter = createProvider("ollama", { deps: depsWith({}), baseUrl: server.url });
    const ask = { model: "nope", messages: [Message.user("hi")] };
    await expect(adapter.complete(ask, {})).rejects.toMatchObject({ name: "NotFoundError" });
    present = true;
    await adapter.complete(ask, {});
    expect(server.requests.at(-1)?.path).toBe("/v1/responses");
  });
});
