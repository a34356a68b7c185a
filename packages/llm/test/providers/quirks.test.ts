// The quirk table (QK-01), one test per cell: what a reviewer would look up in an adapter, tested with the built-in
// providers over real sockets.

import { call, type ModelServer, startModelServer, type Turn, text, thinking, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { builtinCatalog } from "../../src/catalog/index.ts";
import { createProvider } from "../../src/providers/index.ts";
import type { ProviderAdapter } from "../../src/types/adapter.ts";
import { Message } from "../../src/types/message.ts";
import type { Request } from "../../src/types/request.ts";
import type { Response } from "../../src/types/response.ts";
import { depsWith, weather } from "./kit.ts";

const MODELS = { openai: "gpt-5.2", anthropic: "claude-sonnet-4-5", gemini: "gemini-2.5-pro" } as const;
type Vendor = keyof typeof MODELS;

interface Talk {
  readonly server: ModelServer;
  readonly adapter: ProviderAdapter;
  ask(more?: Partial<Request>): Promise<Response>;
  stream(more?: Partial<Request>): Promise<Response>;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach deep into vendor bodies
  body(index: number): any;
  [Symbol.asyncDispose](): Promise<void>;
}

async function talk(vendor: Vendor, script: Turn[], simulateCache = false): Promise<Talk> {
  const server = await startModelServer({ script, simulateCache, allowFields: ["flag"] });
  const adapter = createProvider(vendor, { apiKey: "k-quirk", baseUrl: server.baseUrl(vendor), deps: depsWith({}) });
  const full = (more: Partial<Request>): Request => ({
    model: MODELS[vendor],
    messages: [Message.user("hi")],
    ...more,
  });
  return {
    server,
    adapter,
    ask: (more = {}) => adapter.complete(full(more), {}),
    async stream(more = {}) {
      for await (const event of adapter.stream(full(more), {})) {
        if (event.type === "error") throw event.error;
        if (event.type === "finish") return event.response;
      }
      throw new Error("no end");
    },
    body: (index) => server.requests[index]?.body,
    async [Symbol.asyncDispose]() {
      await adapter.close?.();
      await server.close();
    },
  };
}

type Cell = (open: (script: Turn[], simulateCache?: boolean) => Promise<Talk>) => Promise<void>;
type Row = Readonly<Record<Vendor, readonly [string, Cell]>>;

/** A plain answer to one request, then what the vendor saw. */
const seen = (more: Partial<Request>, check: (talk: Talk) => void): Cell => {
  return async (open) => {
    await using one = await open([turn.text("ok")]);
    await one.ask(more);
    check(one);
  };
};

const three = { messages: [Message.user("a"), Message.user("b"), Message.assistant("c"), Message.user("d")] };
const schema = { type: "object", properties: { age: { type: "integer" } }, required: ["age"] };
const wantsJson: Partial<Request> = { responseFormat: { type: "json_schema", jsonSchema: schema, strict: true } };
const noTools: Partial<Request> = { tools: [weather], toolChoice: { mode: "none" } };

/** Thinking and a call, its result, the end. */
async function round(one: Talk): Promise<Response> {
  const request: Partial<Request> = { tools: [weather], reasoningEffort: "high" };
  const first = await one.ask(request);
  const result = Message.toolResult({ toolCallId: first.toolCalls[0]!.id, content: "sun" });
  await one.ask({ ...request, messages: [Message.user("hi"), first.message, result] });
  expect(one.server.requests.map(({ refused }) => refused)).toEqual([undefined, undefined]);
  return first;
}
const planned = () => [
  turn.blocks([thinking("a plan"), call({ name: "weather", args: { city: "Rome" } })]),
  turn.text("sun"),
];
const counted = (reasoning?: number) => [
  turn.blocks([thinking("12345678"), text("x")], {
    usage: { input: 9, output: 90, ...(reasoning === undefined ? {} : { reasoning }) },
  }),
];
const cached: Cell = async (open) => {
  await using one = await open([turn.text("a"), turn.text("b")], true);
  const messages = [Message.system("long ".repeat(500)), Message.user("q")];
  const first = await one.ask({ messages });
  const second = await one.ask({ messages: [...messages, first.message, Message.user("more")] });
  expect(second.usage.cacheReadTokens).toBeGreaterThan(500);
};
const discount = (vendor: Vendor, model: string): number => {
  const { input = 0, cacheRead = 0 } = builtinCatalog.get(vendor, model)?.cost ?? {};
  return 1 - cacheRead / input;
};

const TABLE: Readonly<Record<string, Row>> = {
  "auth and version": {
    openai: [
      "bearer; version in the path",
      seen({}, ({ server: { requests } }) => {
        expect(requests[0]?.headers.authorization).toBe("Bearer k-quirk");
        expect(requests[0]?.path).toBe("/v1/responses");
      }),
    ],
    anthropic: [
      "x-api-key; version in a header",
      seen({}, ({ server: { requests } }) => {
        expect(requests[0]?.headers).toMatchObject({ "x-api-key": "k-quirk", "anthropic-version": "2023-06-01" });
      }),
    ],
    gemini: [
      "key header; version in the path",
      seen({}, ({ server: { requests } }) => {
        expect(requests[0]?.headers["x-goog-api-key"]).toBe("k-quirk");
        expect(requests[0]?.path).toBe("/v1beta/models/gemini-2.5-pro:generateContent");
      }),
    ],
  },
  alternation: {
    openai: ["free", seen(three, (one) => expect(one.body(0).input).toHaveLength(4))],
    anthropic: ["strict, neighbours merged", seen(three, (one) => expect(one.body(0).messages).toHaveLength(3))],
    gemini: ["free", seen(three, (one) => expect(one.body(0).contents).toHaveLength(4))],
  },
  "max tokens": {
    openai: ["optional", seen({}, (one) => expect(one.body(0)).not.toHaveProperty("max_output_tokens"))],
    anthropic: [
      "required, 4096 for a model without data",
      seen({ model: "unheard-of" }, (one) => expect(one.body(0).max_tokens).toBe(4096)),
    ],
    gemini: [
      "optional, maxOutputTokens",
      async (open) => {
        await using one = await open([turn.text("a"), turn.text("b")]);
        await one.ask();
        await one.ask({ maxTokens: 7 });
        expect(one.body(0).generationConfig?.maxOutputTokens).toBeUndefined();
        expect(one.body(1).generationConfig.maxOutputTokens).toBe(7);
      },
    ],
  },
  "tool ids": {
    openai: [
      "the vendor's, two-part",
      async (open) => {
        await using one = await open(planned());
        const [made] = (await round(one)).toolCalls;
        const [callId, itemId] = made!.id.split("|");
        expect(one.body(1).input).toContainEqual(
          expect.objectContaining({ type: "function_call", call_id: callId, id: itemId }),
        );
      },
    ],
    anthropic: [
      "the vendor's",
      async (open) => {
        await using one = await open(planned());
        const { id } = (await round(one)).toolCalls[0]!;
        expect(id).toMatch(/^toolu_/);
        expect(one.body(1).messages.at(-1).content[0].tool_use_id).toBe(id);
      },
    ],
    gemini: [
      "made by us where the vendor has none, and not sent",
      async (open) => {
        await using one = await open(planned());
        const { id } = (await round(one)).toolCalls[0]!;
        expect(id).toMatch(/^call_/);
        expect(one.server.requests[1]?.text).not.toContain(id);
      },
    ],
  },
  "tool choice none": {
    openai: ["said", seen(noTools, (one) => expect(one.body(0).tool_choice).toBe("none"))],
    anthropic: ["tools left out", seen(noTools, (one) => expect(one.body(0)).not.toHaveProperty("tools"))],
    gemini: [
      "said",
      seen(noTools, (one) => expect(one.body(0).toolConfig.functionCallingConfig).toEqual({ mode: "NONE" })),
    ],
  },
  thinking: {
    openai: [
      "summaries and encrypted items",
      async (open) => {
        await using one = await open(planned());
        expect((await round(one)).reasoning).toBe("a plan");
        expect(one.body(0).include).toEqual(["reasoning.encrypted_content"]);
        expect(one.body(1).input[1]).toMatchObject({ type: "reasoning", encrypted_content: expect.any(String) });
      },
    ],
    anthropic: [
      "visible, signed, replayed inside a tool loop",
      async (open) => {
        await using one = await open(planned());
        await round(one);
        const [replayed] = one.body(1).messages[1].content;
        expect(replayed).toEqual({ type: "thinking", thinking: "a plan", signature: expect.any(String) });
      },
    ],
    gemini: [
      "thought parts, signatures on parts",
      async (open) => {
        await using one = await open(planned());
        await round(one);
        const parts = one.body(1).contents[1].parts;
        expect(parts[0]).toMatchObject({ text: "a plan", thought: true });
        expect(parts[1]).toMatchObject({ functionCall: { name: "weather" }, thoughtSignature: expect.any(String) });
      },
    ],
  },
  "reasoning tokens": {
    openai: [
      "exact",
      async (open) => {
        await using one = await open(counted(64));
        const { usage } = await one.ask();
        expect([usage.reasoningTokens, usage.estimated]).toEqual([64, undefined]);
      },
    ],
    anthropic: [
      "estimated",
      async (open) => {
        await using one = await open(counted());
        const { usage } = await one.ask();
        expect([usage.reasoningTokens, usage.estimated]).toEqual([2, ["reasoningTokens"]]);
      },
    ],
    gemini: [
      "exact",
      async (open) => {
        await using one = await open(counted(64));
        const { usage } = await one.ask();
        expect([usage.reasoningTokens, usage.estimated]).toEqual([64, undefined]);
      },
    ],
  },
  "structured output": {
    openai: [
      "native",
      seen(wantsJson, (one) => expect(one.body(0).text.format).toMatchObject({ type: "json_schema", strict: true })),
    ],
    anthropic: [
      "forced tool",
      seen(wantsJson, (one) => {
        expect(one.body(0).tool_choice).toEqual({ type: "tool", name: one.body(0).tools[0].name });
        expect(one.body(0).tools[0].input_schema.properties).toHaveProperty("age");
      }),
    ],
    gemini: [
      "native",
      seen(wantsJson, (one) =>
        expect(one.body(0).generationConfig).toMatchObject({
          responseMimeType: "application/json",
          responseSchema: { type: "object" },
        }),
      ),
    ],
  },
  "end of stream": {
    openai: [
      "terminal event: without it the answer is not whole",
      async (open) => {
        await using one = await open([turn.withFault({ kind: "missing-terminal" })]);
        await expect(one.stream()).rejects.toThrow("the stream ended early");
      },
    ],
    anthropic: [
      "message_stop: without it the answer is whole, and said so",
      async (open) => {
        await using one = await open([
          turn.text("whole"),
          turn.withFault({ kind: "missing-terminal" }, turn.text("late")),
        ]);
        expect((await one.stream()).warnings).toEqual([]);
        expect(await one.stream()).toMatchObject({ text: "late", warnings: [{ code: "missing_terminal" }] });
      },
    ],
    gemini: [
      "connection end after finishReason",
      async (open) => {
        await using one = await open([turn.text("whole"), turn.withFault({ kind: "missing-terminal" })]);
        expect(await one.stream()).toMatchObject({ text: "whole", warnings: [] });
        await expect(one.stream()).rejects.toThrow("the stream ended early");
      },
    ],
  },
  "caching discount": {
    openai: [
      "automatic, half price or better",
      async (open) => {
        await cached(open);
        expect(discount("openai", "gpt-4o")).toBeCloseTo(0.5);
        expect(discount("openai", MODELS.openai)).toBeGreaterThanOrEqual(0.5);
      },
    ],
    anthropic: [
      "explicit markers, about nine tenths",
      async (open) => {
        await cached(open);
        expect(discount("anthropic", MODELS.anthropic)).toBeCloseTo(0.9);
        await using plain = await open([turn.text("a")], true);
        await plain.ask({ providerOptions: { anthropic: { auto_cache: false } } });
        expect(plain.server.requests[0]?.text).not.toContain("cache_control");
      },
    ],
    gemini: ["automatic", cached],
  },
  "feature flags": {
    openai: ["body", seen({ providerOptions: { openai: { flag: 1 } } }, (one) => expect(one.body(0).flag).toBe(1))],
    anthropic: [
      "anthropic-beta header",
      seen({ providerOptions: { anthropic: { beta_headers: ["new-2099"] } } }, ({ server: { requests } }) =>
        expect(requests[0]?.headers["anthropic-beta"]).toContain("new-2099"),
      ),
    ],
    gemini: ["body", seen({ providerOptions: { gemini: { flag: 1 } } }, (one) => expect(one.body(0).flag).toBe(1))],
  },
};

const CELLS = Object.entries(TABLE).flatMap(([concern, row]) =>
  (Object.entries(row) as [Vendor, Row[Vendor]][]).map(([vendor, [cell, check]]) => ({ concern, vendor, cell, check })),
);

describe("the quirk table", () => {
  it.each(CELLS)("QK-01 $concern, $vendor: $cell", async ({ vendor, check }) => {
    await check((script, simulateCache) => talk(vendor, script, simulateCache));
  });
});
