import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { startModelServer, turn } from "../src/index.ts";

const key = "sk-test";

describe("the vendors' SDKs reach the scripted model", () => {
  it("anthropic", async () => {
    await using server = await startModelServer({ script: [turn.text("hello"), turn.text("hello again")] });
    const client = new Anthropic({ apiKey: key, baseURL: server.baseUrl("anthropic") });
    const body = { model: "claude-sonnet-4-5", max_tokens: 100, messages: [{ role: "user" as const, content: "hi" }] };
    const message = await client.messages.create(body);
    expect(message.content).toEqual([{ type: "text", text: "hello" }]);
    const streamed = await client.messages.stream(body).finalMessage();
    expect(streamed.content).toEqual([{ type: "text", text: "hello again" }]);
  });

  it("openai", async () => {
    await using server = await startModelServer({ script: () => turn.text("hello") });
    const client = new OpenAI({ apiKey: key, baseURL: server.baseUrl("openai") });
    expect((await client.responses.create({ model: "gpt-5.2", input: "hi" })).output_text).toBe("hello");
    const streamed = await client.responses.stream({ model: "gpt-5.2", input: "hi" }).finalResponse();
    expect(streamed.output_text).toBe("hello");
    const messages = [{ role: "user" as const, content: "hi" }];
    const chat = await client.chat.completions.create({ model: "gpt-5.2", messages });
    expect(chat.choices[0]?.message.content).toBe("hello");
    expect(await client.chat.completions.stream({ model: "gpt-5.2", messages }).finalContent()).toBe("hello");
  });

  it("gemini", async () => {
    await using server = await startModelServer({ script: () => turn.text("hello", { deltaChars: 2 }) });
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: server.baseUrl("gemini") } });
    const request = { model: "gemini-3-flash-preview", contents: "hi" };
    expect((await client.models.generateContent(request)).text).toBe("hello");
    let text = "";
    for await (const chunk of await client.models.generateContentStream(request)) text += chunk.text ?? "";
    expect(text).toBe("hello");
  });
});
