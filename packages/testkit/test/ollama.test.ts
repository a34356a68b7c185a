import { Ollama } from "ollama";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type ModelServer, startModelServer, text, thinking, turn } from "../src/index.ts";
import { PIXEL, type Rule, resend, set } from "./mutate.ts";

const MODEL = "scripted-model";
const messages = [{ role: "user", content: "hi" }];
const connect = (server: ModelServer) => new Ollama({ host: server.baseUrl("ollama") });

const rich = turn.blocks([thinking("let me see"), text("Grüße 🎉 "), call({ name: "read", args: { path: "ä" } })], {
  usage: { input: 10, output: 20 },
  deltaChars: 3,
});

describe("Ollama's SDK reads the scripted model", () => {
  it("a whole answer with thinking, text, call and counts, without a key", async () => {
    await using server = await startModelServer({ script: [rich] });
    const answer = await connect(server).chat({ model: MODEL, messages });
    expect(answer).toMatchObject({
      message: {
        content: "Grüße 🎉 ",
        thinking: "let me see",
        tool_calls: [{ function: { name: "read", arguments: { path: "ä" } } }],
      },
      done: true,
      done_reason: "stop",
      prompt_eval_count: 10,
      eval_count: 20,
    });
  });

  it.each([
    ["plain", {}],
    ["one byte at a time", { chunk: 1 }],
    ["split characters", { chunk: "split-multibyte" as const }],
  ])("the same answer as NDJSON: %s", async (_, options) => {
    await using server = await startModelServer({ script: [{ ...rich, ...options }] });
    const seen = { content: "", thinking: "", calls: [] as unknown[], count: 0 };
    for await (const part of await connect(server).chat({ model: MODEL, messages, stream: true })) {
      seen.content += part.message.content;
      seen.thinking += part.message.thinking ?? "";
      seen.calls.push(...(part.message.tool_calls ?? []));
      seen.count += part.eval_count ?? 0;
    }
    expect(seen).toEqual({
      content: "Grüße 🎉 ",
      thinking: "let me see",
      calls: [{ function: { name: "read", arguments: { path: "ä" } } }],
      count: 20,
    });
  });

  it("streams when the request does not say, as Ollama does", async () => {
    await using server = await startModelServer({ script: [turn.text("hello", { deltaChars: 2 })] });
    const body = JSON.stringify({ model: MODEL, messages });
    const answer = await (await fetch(`${server.url}/api/chat`, { method: "POST", body })).text();
    expect(answer.trim().split("\n")).toHaveLength(4);
  });

  it("lists and shows models", async () => {
    const models = [{ id: "m1", contextLength: 4096, capabilities: ["completion", "tools"] }];
    await using server = await startModelServer({ listings: { models } });
    const client = connect(server);
    expect((await client.list()).models.map((model) => model.name)).toEqual(["m1"]);
    const shown = await client.show({ model: "m1" });
    expect(shown.capabilities).toEqual(["completion", "tools"]);
    expect(shown.model_info).toMatchObject({ "scripted.context_length": 4096 });
    await expect(client.show({ model: "m2" })).rejects.toMatchObject({ status_code: 404 });
  });

  it("errors carry status and text; an error line in the stream is thrown", async () => {
    await using server = await startModelServer({
      script: [
        turn.error(404, { message: "model 'x' not found" }),
        turn.withFault({ kind: "stream-error", message: "oops" }),
      ],
    });
    const client = connect(server);
    await expect(client.chat({ model: "x", messages })).rejects.toMatchObject({
      status_code: 404,
      error: "model 'x' not found",
    });
    const read = async () => {
      for await (const _ of await client.chat({ model: MODEL, messages, stream: true }));
    };
    await expect(read()).rejects.toThrow("oops");
  });
});

describe("Ollama's rules", () => {
  let server: ModelServer;

  beforeAll(async () => {
    server = await startModelServer({ script: () => turn.text("ok") });
    await connect(server).chat({
      model: MODEL,
      messages: [
        { role: "user", content: "look", images: [PIXEL] },
        { role: "assistant", content: "", tool_calls: [{ function: { name: "read", arguments: {} } }] },
        { role: "tool", content: "one", tool_name: "read" },
      ],
    });
  });
  afterAll(() => server.close());

  it("accept a tool round with an image as the SDK writes it", async () => {
    expect(server.requests[0]!.refused).toBeUndefined();
    expect(await resend(server, server.requests[0]!, () => {})).toMatchObject({ status: 200 });
  });

  const rules: Rule[] = [
    ["arguments as text", set("messages.1.tool_calls.0.function.arguments", "{}"), "arguments"],
    ["content as a list", set("messages.0.content", []), "content"],
    ["an image that is no base64", set("messages.0.images", ["data:image/png;base64,xx"]), "base64"],
    ["an unknown role", set("messages.0.role", "model"), "role"],
    ["no model", set("model", ""), "model is required"],
  ];

  it.each(rules)("refuse %s", async (_, change, message) => {
    const answer = await resend(server, server.requests[0]!, change);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error).toContain(message);
  });
});
