import { call, redactedThinking, text, thinking, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { RateLimitError } from "../../src/types/errors.ts";
import { type ContentPart, Message } from "../../src/types/message.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { type Live, live, rows, type Vendor, vendors } from "./live.ts";

const open: Live[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
async function start(...args: Parameters<typeof live>): Promise<Live> {
  const made = await live(...args);
  open.push(made);
  return made;
}

const tools: ToolDefinition[] = ["read", "list"].map((name) => ({
  name,
  description: `Runs ${name}.`,
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
}));
const png = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==",
    "base64",
  ),
);
const replayed: Record<Vendor, RegExp> = {
  anthropic: /"type":"thinking","thinking":"a plan","signature":"[^"]+"/,
  gemini: /"text":"a plan","thought":true/,
  "google-vertex": /"text":"a plan","thought":true/,
  "amazon-bedrock": /"reasoningText":\{"text":"a plan","signature":"[^"]+"/,
};

describe.each(vendors)("%s against the strict server", (vendor) => {
  it("A-101 A-102 A-012 text, streamed and whole, with the script's counts", async () => {
    const script = [turn.text("hello wörld ✓", { usage: { input: 12, output: 5 } })];
    const { adapter, model, stream } = await start(vendor, { script: [...script, ...script] });
    const messages = [Message.system("be brief"), Message.user("hi")];
    const { events, response } = await stream({ messages });
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
    expect(deltas.length).toBeGreaterThan(0);
    expect(deltas.join("")).toBe("hello wörld ✓");
    const whole = await adapter.complete({ model, messages }, {});
    expect(whole.text).toBe("hello wörld ✓");
    expect(whole.finishReason.reason).toBe("stop");
    expect(whole.usage).toMatchObject({ inputTokens: 12, outputTokens: 5 });
    const comparable = { id: "", raw: undefined, rateLimit: undefined };
    expect({ ...response, ...comparable }).toEqual({ ...whole, ...comparable });
  });

  it("A-022 A-023 A-038 A-106 thinking and parallel calls: signature and results go back as the vendor demands", async () => {
    const { server, stream, model } = await start(vendor, {
      script: [
        turn.blocks([
          thinking("a plan"),
          text("Looking."),
          call({ name: "read", args: { path: "a" } }),
          call({ name: "list", args: { path: "b" } }),
        ]),
        turn.text("done"),
      ],
    });
    const request: Omit<Request, "model"> = { messages: [Message.user("go")], tools, reasoningEffort: "high" };
    const first = (await stream(request)).response;
    expect(first?.reasoning).toBe("a plan");
    expect(first?.finishReason.reason).toBe("tool_calls");
    expect(first?.toolCalls.map(({ name, arguments: args }) => ({ name, args }))).toEqual([
      { name: "read", args: { path: "a" } },
      { name: "list", args: { path: "b" } },
    ]);
    const results = first!.toolCalls.map(({ id }, index) =>
      Message.toolResult({ toolCallId: id, content: `result ${index}`, isError: index === 1 }),
    );
    const history = JSON.parse(JSON.stringify([Message.user("go"), first!.message, ...results])) as Message[];
    const second = await stream({ ...request, messages: history });
    expect(second.response?.text).toBe("done");
    expect(server.requests).toHaveLength(2);
    expect(server.requests.map((sent) => sent.refused)).toEqual([undefined, undefined]);
    expect(server.requests[1]?.text).toMatch(replayed[vendor]);
    const body = server.requests[1]?.text ?? "";
    expect(body.indexOf("result 0")).toBeGreaterThan(0);
    expect(body.indexOf("result 1")).toBeGreaterThan(body.indexOf("result 0"));
    expect(model).toBe(rows[vendor].model);
  });

  it("a loop of several signed rounds is accepted each time", async () => {
    const rounds = 4;
    const { server, stream } = await start(vendor, {
      script: [
        ...Array.from({ length: rounds }, (_, index) =>
          turn.blocks([thinking(`step ${index}`), call({ name: "read", args: { path: String(index) } })]),
        ),
        turn.text("done"),
      ],
    });
    const messages: Message[] = [Message.user("go")];
    for (let round = 0; round <= rounds; round++) {
      const { response } = await stream({ messages, tools, reasoningEffort: "low" });
      messages.push(response!.message);
      for (const { id } of response!.toolCalls) messages.push(Message.toolResult({ toolCallId: id, content: "ok" }));
    }
    expect(server.requests.filter((request) => request.refused)).toEqual([]);
    expect(server.remaining).toBe(0);
  });

  it("DM-04 results that are nothing but blanks are accepted, with and without an image", async () => {
    const { server, stream } = await start(vendor, {
      script: [turn.calls(["a", "b"].map((path) => ({ name: "read", args: { path } }))), turn.text("both empty")],
    });
    const first = (await stream({ messages: [Message.user("go")], tools })).response!;
    const results = first.toolCalls.map(({ id }, index) =>
      Message.toolResult({ toolCallId: id, content: " \n", images: index === 0 ? [] : [{ data: png }] }),
    );
    await stream({ messages: [Message.user("go"), first.message, ...results], tools });
    expect(server.requests.map(({ refused }) => refused)).toEqual([undefined, undefined]);
  });

  it("A-103 images from the user and from a tool are accepted", async () => {
    const { server, stream } = await start(vendor, {
      script: [turn.calls([{ name: "read", args: { path: "a.png" } }]), turn.text("a dot")],
    });
    const question = Message.user([
      { kind: "text", text: "what is this?" },
      { kind: "image", image: { data: png } },
    ]);
    const first = (await stream({ messages: [question], tools })).response!;
    const result = Message.toolResult({
      toolCallId: first.toolCalls[0]!.id,
      content: "an image",
      images: [{ data: png, mediaType: "image/png" }],
    });
    const second = await stream({ messages: [question, first.message, result], tools });
    expect(second.response?.text).toBe("a dot");
    const base64 = Buffer.from(png).toString("base64");
    expect(server.requests[1]?.text.split(base64)).toHaveLength(3);
  });

  it("AD-30 AD-40 AD-60 every effort is accepted on both kinds of model", async () => {
    for (const row of [rows[vendor].row, rows[vendor].older]) {
      const { server, stream } = await start(vendor, { script: () => turn.text("ok") }, { row });
      for (const reasoningEffort of ["minimal", "low", "medium", "high", "off"]) {
        await stream({ messages: [Message.user("hi")], reasoningEffort, maxTokens: 2000 });
      }
      expect(server.requests.map((request) => request.refused)).toEqual(Array(5).fill(undefined));
    }
  });

  it("TC-03 every tool choice is accepted", async () => {
    const { server, stream } = await start(vendor, { script: () => turn.text("ok") });
    const choices = [
      { mode: "auto" },
      { mode: "none" },
      { mode: "required" },
      { mode: "named", toolName: "list" },
    ] as const;
    for (const toolChoice of choices) await stream({ messages: [Message.user("hi")], tools, toolChoice });
    expect(server.requests.map((request) => request.refused)).toEqual(Array(4).fill(undefined));
  });

  it("GN-06 a schema gives JSON text", async () => {
    const answer = '{"age":7}';
    const native = vendor === "gemini" || vendor === "google-vertex";
    const { stream } = await start(vendor, {
      script: [native ? turn.text(answer) : turn.calls([{ name: "structured_output", rawArgs: answer }])],
    });
    const { response } = await stream({
      messages: [Message.user("how old?")],
      responseFormat: {
        type: "json_schema",
        jsonSchema: { type: "object", properties: { age: { type: "integer" } }, required: ["age"] },
      },
    });
    expect(response?.text).toBe(answer);
    expect(response?.finishReason.reason).toBe("stop");
  });

  it("A-110 A-114 cache and reasoning counts are mapped", async () => {
    const { stream } = await start(vendor, {
      script: [
        turn.blocks([thinking("a plan"), text("ok")], {
          usage: { input: 100, output: 20, cacheRead: 64, reasoning: 8 },
        }),
      ],
    });
    const { response } = await stream({ messages: [Message.user("hi")], reasoningEffort: "low" });
    expect(response?.usage.cacheReadTokens).toBe(64);
    expect(response?.usage.reasoningTokens).toBeGreaterThan(0);
  });

  it("A-111 bad key and rate limit are classified", async () => {
    const denied = await start(vendor, { auth: { key: "another" } });
    await expect(denied.stream({ messages: [Message.user("hi")] })).rejects.toMatchObject({
      name: "AuthenticationError",
    });
    const busy = await start(vendor, { script: [turn.error(429, { retryAfter: 7 })] });
    const error = await busy.stream({ messages: [Message.user("hi")] }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfter: 7 });
    expect(String(JSON.stringify(error))).not.toContain("-test");
  });

  it("ER-04 an overload in the middle of the stream is a retryable error with the text so far", async () => {
    const { stream } = await start(vendor, {
      script: [turn.withFault({ kind: "stream-error", error: "overloaded", afterEvents: 4 })],
    });
    await expect(stream({ messages: [Message.user("hi")] })).rejects.toMatchObject({ retryable: true });
  });

  it("a token count is asked for and read", async () => {
    const { adapter, model } = await start(vendor, {});
    expect(await adapter.countTokens?.({ model, messages: [Message.user("count me")] }, {})).toBeGreaterThan(0);
  });
});

describe("vendor specials", () => {
  it("A-024 redacted thinking survives a tool round on Anthropic and Bedrock", async () => {
    for (const vendor of ["anthropic", "amazon-bedrock"] as const) {
      const { server, stream } = await start(vendor, {
        script: [
          turn.blocks([redactedThinking("b3BhcXVl"), call({ name: "read", args: { path: "a" } })]),
          turn.text("done"),
        ],
      });
      const first = (await stream({ messages: [Message.user("go")], tools, reasoningEffort: "high" })).response!;
      const [part] = first.message.content;
      const data = part?.kind === "redacted_thinking" ? part.thinking.signature : undefined;
      expect(data).toBeTruthy();
      const result = Message.toolResult({ toolCallId: first.toolCalls[0]!.id, content: "x" });
      await stream({ messages: [Message.user("go"), first.message, result], tools, reasoningEffort: "high" });
      expect(server.requests[1]?.text).toContain(data);
      expect(server.requests[1]?.refused).toBeUndefined();
    }
  });

  it("QK-01 a conversation begun on one vendor continues at every other one", async () => {
    for (const from of vendors) {
      const origin = await start(from, {
        script: [turn.blocks([thinking("a plan"), text("Looking."), call({ name: "read", args: { path: "a" } })])],
      });
      const request = { messages: [Message.user("go")], tools, reasoningEffort: "high" };
      const first = (await origin.stream(request)).response!;
      const result = Message.toolResult({ toolCallId: first.toolCalls[0]!.id, content: "x" });
      const history: Message[] = [Message.user("go"), first.message, result];
      const secrets = first.message.content.flatMap((part: ContentPart) =>
        part.kind === "thinking" && part.thinking.signature ? [part.thinking.signature] : [],
      );
      for (const to of vendors.filter((vendor) => vendor !== from)) {
        const { server, stream } = await start(to, { script: [turn.text("done")] });
        expect((await stream({ ...request, messages: history })).response?.text).toBe("done");
        for (const secret of [...secrets, "a plan"]) expect(server.requests[0]?.text).not.toContain(secret);
      }
    }
  });

  it("A-046 the caching beta header is there exactly when a marker is", async () => {
    const { server, stream } = await start("anthropic", { script: () => turn.text("ok") });
    await stream({ messages: [Message.user("hi")] });
    await stream({ messages: [Message.user("hi")], providerOptions: { anthropic: { auto_cache: false } } });
    expect(server.requests.map((request) => request.headers["anthropic-beta"])).toEqual([
      "prompt-caching-2024-07-31",
      undefined,
    ]);
    expect(server.requests.map((request) => request.text.includes("cache_control"))).toEqual([true, false]);
  });

  it("PC-03 against a foreign host a long retention never becomes one hour", async () => {
    const { server, stream } = await start(
      "anthropic",
      { script: () => turn.text("ok") },
      { row: { supportsLongCacheRetention: true } },
    );
    await stream({ messages: [Message.user("hi")], providerOptions: { anthropic: { cache_retention: "long" } } });
    expect(server.requests[0]?.text).toContain("cache_control");
    expect(server.requests[0]?.text).not.toContain("1h");
  });

  it("A-051 ten turns against a server that simulates prefix caching: more than half is read from the cache", async () => {
    for (const vendor of ["anthropic", "gemini", "amazon-bedrock"] as const) {
      const { stream } = await start(vendor, { script: () => turn.text("answer ".repeat(20)), simulateCache: true });
      const messages: Message[] = [Message.system("rules ".repeat(200))];
      for (let round = 1; round <= 10; round++) {
        messages.push(Message.user(`question ${round} `.repeat(20)));
        const { usage, message } = (await stream({ messages, tools })).response!;
        messages.push(message);
        const own = vendor === "gemini" ? 0 : (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
        if (round >= 5) expect((usage.cacheReadTokens ?? 0) / (usage.inputTokens + own)).toBeGreaterThan(0.5);
      }
    }
  });
});
