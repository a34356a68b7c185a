// Ollama's real answers: a model's length, what its file asks for, what it got when it was loaded.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { discover, localBaseUrl } from "../../src/discovery/index.ts";
import { createProvider } from "../../src/providers/index.ts";
import { Message } from "../../src/types/message.ts";
import { depsWith } from "../providers/kit.ts";

const shown: Record<string, object> = {
  "qwen3:8b": { capabilities: ["completion", "tools", "thinking"], parameters: 'temperature 0.6\nstop "x"' },
  "mine:latest": {
    capabilities: ["completion", "tools"],
    parameters: "num_ctx                        16384\ntop_k 20",
  },
  "loaded:latest": { capabilities: ["completion", "tools"], parameters: "num_ctx 16384" },
  "nomic-embed-text:latest": { capabilities: ["embedding"] },
};

let server: Server;
let keys: (string | undefined)[];
beforeEach(async () => {
  keys = [];
  server = createServer(async (request, response) => {
    keys.push(request.headers.authorization);
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const answer = (value: object): void => void response.end(JSON.stringify(value));
    const named = (name: string) => ({ name, model: name, details: { format: "gguf" } });
    if (request.url === "/api/tags") answer({ models: Object.keys(shown).map(named) });
    else if (request.url === "/api/ps") answer({ models: [{ ...named("loaded:latest"), context_length: 4096 }] });
    else if (request.url === "/api/show")
      answer({ model_info: { "qwen3.context_length": 40960 }, ...shown[JSON.parse(body).model] });
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => void server.close());
const port = (): number => (server.address() as AddressInfo).port;

describe("Ollama", () => {
  it("G-48 the window is what the model got, else what its file asks for, else its own; models for embeddings are no choice", async () => {
    const found = await discover("ollama", { deps: depsWith({ OLLAMA_HOST: `127.0.0.1:${port()}` }) });
    expect(found?.models.map(({ id, contextWindow }) => [id, contextWindow])).toEqual([
      ["qwen3:8b", 40960],
      ["mine:latest", 16384],
      ["loaded:latest", 4096],
    ]);
  });

  it("G-48 the variable of the usual server's key is not sent to another that was configured", async () => {
    const env = { OLLAMA_API_KEY: "secret" };
    const baseUrl = `http://127.0.0.1:${port()}`;
    await discover("ollama", { deps: depsWith(env), provider: "lab", baseUrl });
    expect(new Set(keys)).toEqual(new Set([undefined]));
    await discover("ollama", { deps: depsWith(env), provider: "lab", baseUrl, apiKey: "labs" });
    expect(keys.at(-1)).toBe("Bearer labs");
  });

  it.each([
    ["0.0.0.0", "http://127.0.0.1:11434"],
    ["0.0.0.0:11500", "http://127.0.0.1:11500"],
    [":11500", "http://127.0.0.1:11500"],
    ["[::]", "http://[::1]:11434"],
    ["box.local", "http://box.local:11434"],
    ["http://0.0.0.0:11434/", "http://127.0.0.1:11434"],
    ["https://ollama.example", "https://ollama.example"],
    ["box:1/v1", "http://box:1/v1"],
  ])("LS-06 OLLAMA_HOST as the server takes it, %s, is reached at %s", (written, reached) => {
    expect(localBaseUrl("ollama", { OLLAMA_HOST: written })).toBe(reached);
  });

  it("LS-06 requests go to the same place as the question for models", async () => {
    const adapter = createProvider("ollama", { deps: depsWith({ OLLAMA_HOST: `0.0.0.0:${port()}` }) });
    const before = keys.length;
    await adapter.complete({ model: "m", messages: [Message.user("hi")] }, {}).catch(() => undefined);
    expect(keys.length).toBeGreaterThan(before);
  });
});
