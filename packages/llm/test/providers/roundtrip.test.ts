import { call, type ModelServer, startModelServer, text, thinking, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { createProvider } from "../../src/providers/index.ts";
import { Message } from "../../src/types/message.ts";
import { depsWith, streamed, toolRound } from "./kit.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const counts = { input: 100, output: 20, cacheRead: 64, reasoning: 8 };
const script = [
  turn.blocks([
    thinking("Two cities."),
    text("Looking it up."),
    call({ name: "weather", args: { city: "Rome" } }),
    call({ name: "weather", args: { city: "Oslo" } }),
  ]),
  turn.text("Sunny in both."),
];

const counted = { ...script[0]!, usage: counts };

describe("round trips against the strict server", () => {
  it.each([
    ["openai", "openai", "gpt-5.2", "openai-responses", ["/v1/responses"]],
    ["openrouter", "chat", "some/model", "openai-completions", ["/v1/chat/completions"]],
    ["ollama", "ollama", "qwen3", "ollama-chat", ["/api/chat"]],
    ["azure-openai", "azure", "gpt-5.2", "azure-openai-responses", ["/openai/v1/responses"]],
  ] as const)(
    "AD-10 AD-20 AD-80 A-022 A-105 A-106 %s: calls, results and reasoning are accepted",
    async (id, kind, model, api, paths) => {
      server = await startModelServer({ script });
      const adapter = createProvider(id, { deps: depsWith({}), baseUrl: server.baseUrl(kind), apiKey: "sk-test", api });
      const { first, second } = await toolRound(adapter, model, server);
      expect(first.reasoning).toBe("Two cities.");
      expect(first.text).toBe("Looking it up.");
      expect(first.toolCalls.map(({ arguments: args }) => args["city"])).toEqual(["Rome", "Oslo"]);
      expect(second.text).toBe("Sunny in both.");
      expect(second.finishReason.reason).toBe("stop");
      expect([...new Set(server.requests.map(({ path }) => path))]).toEqual(paths);
    },
  );

  it("DM-07 CL-08 complete and stream of the same turn are equal, on /v1/responses both", async () => {
    server = await startModelServer({ script: [counted, counted] });
    const adapter = createProvider("openai", { deps: depsWith({}), baseUrl: server.baseUrl("openai"), apiKey: "k" });
    const request = { model: "gpt-5.2", messages: [Message.user("weather?")] };
    const whole = await adapter.complete(request, {});
    const live = await streamed(adapter, request);
    const plain = (response: typeof whole) => ({
      text: response.text,
      reasoning: response.reasoning,
      calls: response.toolCalls.map(({ name, arguments: args }) => ({ name, args })),
      finish: response.finishReason,
      usage: { ...response.usage, raw: undefined },
    });
    expect(plain(live)).toEqual(plain(whole));
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1/responses", "/v1/responses"]);
  });

  it("DM-05 a conversation moves between the dialects and is accepted by each", async () => {
    server = await startModelServer({ script: [script[0]!, script[0]!, script[0]!, turn.text("done")] });
    const deps = depsWith({});
    const adapters = [
      createProvider("openai", { deps, baseUrl: server.baseUrl("openai"), apiKey: "k" }),
      createProvider("groq", { deps, baseUrl: server.baseUrl("chat"), apiKey: "k" }),
      createProvider("ollama", { deps, baseUrl: server.baseUrl("ollama"), api: "ollama-chat" }),
      createProvider("openai", { deps, baseUrl: server.baseUrl("openai"), apiKey: "k" }),
    ];
    const messages: Message[] = [Message.user("weather?")];
    for (const adapter of adapters) {
      const response = await streamed(adapter, { model: "gpt-5.2", messages: [...messages] });
      messages.push(response.message);
      for (const { id } of response.toolCalls) messages.push(Message.toolResult({ toolCallId: id, content: "sun" }));
    }
    expect(server.requests.map(({ refused }) => refused)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("ER-04 a stream cut in the middle ends in a retryable error with the partial text", async () => {
    server = await startModelServer({
      script: [turn.withFault({ kind: "cut", at: { events: 3 } })],
      strict: false,
    });
    const adapter = createProvider("groq", { deps: depsWith({}), baseUrl: server.baseUrl("chat"), apiKey: "k" });
    await expect(streamed(adapter, { model: "m", messages: [Message.user("hi")] })).rejects.toMatchObject({
      retryable: true,
    });
  });
});
