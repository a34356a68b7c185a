// What a caller can rely on for every vendor: one order of events, and tools sent in the form that the vendor enforces.

import { call, startModelServer, text, thinking, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import type { StreamEvent } from "../../src/types/events.ts";
import type { JsonSchema } from "../../src/types/json.ts";
import { Message } from "../../src/types/message.ts";
import type { ModelInfo } from "../../src/types/model.ts";
import type { ResponseFormat } from "../../src/types/request.ts";
import {
  ALL,
  ANTHROPIC,
  BEDROCK,
  CHAT,
  clientFor,
  collect,
  type DialectCase,
  GEMINI,
  OLLAMA,
  OPENAI,
} from "./support.ts";

/** Which run of deltas an event belongs to. */
function blockOf(event: StreamEvent): string | undefined {
  if ("textId" in event) return `text ${event.textId}`;
  if ("reasoningId" in event) return `reasoning ${event.reasoningId}`;
  return "callKey" in event ? `call ${event.callKey}` : undefined;
}

/** The types of each block in the order in which blocks began; consecutive deltas of one kind count as one. */
function shape(events: readonly StreamEvent[]): string[] {
  const blocks = new Map<string, string[]>();
  for (const event of events) {
    const key = blockOf(event) ?? event.type;
    const types = blocks.get(key) ?? [];
    if (types.at(-1) !== event.type) types.push(event.type);
    blocks.set(key, types);
  }
  return [...blocks.values()].flat();
}

const triplet = (name: string): string[] => [`${name}_start`, `${name}_delta`, `${name}_end`];

describe("events", () => {
  it.each(ALL)("G-62 thinking, text and two calls are the same events from $provider", async (one) => {
    await using server = await startModelServer({
      script: [
        turn.blocks(
          [
            thinking("let me think"),
            text("I will look twice."),
            call({ name: "look", args: { at: "a" } }),
            call({ name: "look", args: { at: "b" } }),
          ],
          { deltaChars: 3 },
        ),
      ],
    });
    const client = clientFor(one, server);
    const events = await collect(client.stream({ model: one.model, messages: [Message.user("hi")] }));
    expect(shape(events)).toEqual([
      "stream_start",
      ...triplet("reasoning"),
      ...triplet("text"),
      ...triplet("tool_call"),
      ...triplet("tool_call"),
      "finish",
    ]);
    const last = events.at(-1);
    expect(last?.type === "finish" && last.response).toMatchObject({
      text: "I will look twice.",
      reasoning: "let me think",
      finishReason: { reason: "tool_calls" },
      toolCalls: [{ arguments: { at: "a" } }, { arguments: { at: "b" } }],
    });
  });
});

/** Each feature that strict translation knows. */
const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    mode: { enum: ["fast", "slow"] },
    level: { const: 3 },
    point: { $ref: "#/$defs/Point" },
    only: { allOf: [{ type: "integer" }], description: "one element" },
    target: { description: "either", anyOf: [{ type: "string" }, { type: "number" }] },
  },
  required: ["mode", "level", "point", "only", "target"],
  additionalProperties: false,
  $defs: {
    Point: { type: "object", properties: { x: { type: "number" } }, required: ["x"], additionalProperties: false },
  },
};
/** The same with references inlined, single allOf collapsed, descriptions moved into variants and types inferred. */
const STRICT: JsonSchema = {
  type: "object",
  properties: {
    mode: { type: "string", enum: ["fast", "slow"] },
    level: { type: "integer", const: 3 },
    point: { type: "object", properties: { x: { type: "number" } }, required: ["x"], additionalProperties: false },
    only: { type: "integer", description: "one element" },
    target: {
      anyOf: [
        { type: "string", description: "either" },
        { type: "number", description: "either" },
      ],
    },
  },
  required: ["mode", "level", "point", "only", "target"],
  additionalProperties: false,
};
const GOOGLE: JsonSchema = {
  type: "object",
  properties: {
    mode: { type: "string", enum: ["fast", "slow"] },
    level: { type: "integer", description: "One of: 3." },
    point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
    only: { type: "integer", description: "one element" },
    target: { description: "either", anyOf: [{ type: "string" }, { type: "number" }] },
  },
  required: ["mode", "level", "point", "only", "target"],
};
const named = { name: "look", description: "Looks." };
const chat = (parameters: JsonSchema, more: object = {}): object => ({
  type: "function",
  function: { ...named, parameters, ...more },
});

/** What is sent over the wire with strict tools, and without. */
const GOLDEN: readonly (readonly [string, DialectCase, object, object])[] = [
  [
    "OpenAI",
    OPENAI,
    [{ type: "function", ...named, parameters: STRICT, strict: true }],
    [{ type: "function", ...named, parameters: SCHEMA, strict: false }],
  ],
  ["a compatible server", CHAT, [chat(STRICT, { strict: true })], [chat(SCHEMA)]],
  [
    "Gemini",
    GEMINI,
    [{ functionDeclarations: [{ ...named, parameters: GOOGLE }] }],
    [{ functionDeclarations: [{ ...named, parameters: GOOGLE }] }],
  ],
  ["Ollama", OLLAMA, [chat(SCHEMA)], [chat(SCHEMA)]],
  [
    "Bedrock",
    BEDROCK,
    [{ toolSpec: { ...named, inputSchema: { json: SCHEMA } } }],
    [{ toolSpec: { ...named, inputSchema: { json: SCHEMA } } }],
  ],
];

/** A model whose server accepts `strict`. */
const strictModel =
  (one: DialectCase) =>
  (id: string): ModelInfo => ({
    id,
    provider: one.provider,
    displayName: id,
    contextWindow: 100_000,
    maxOutput: 10_000,
    supportsTools: true,
    supportsVision: false,
    supportsReasoning: false,
    input: ["text"],
    aliases: [],
    ...(one === CHAT ? { compat: { supportsStrictMode: true } } : {}),
  });

async function sentTools(one: DialectCase, schema: JsonSchema, disableStrictTools: boolean): Promise<unknown> {
  await using server = await startModelServer({ script: [turn.text("ok")] });
  const client = clientFor(one, server, { model: strictModel(one), disableStrictTools });
  const tools = [{ ...named, parameters: schema }];
  await client.complete({
    model: one.model,
    messages: [Message.user("hi")],
    tools,
    providerOptions: { anthropic: { auto_cache: false } },
  });
  const body = server.requests[0]?.body as { tools?: unknown; toolConfig?: { tools: unknown } };
  return body.tools ?? body.toolConfig?.tools;
}

describe("tools", () => {
  it.each(GOLDEN)("G-59 %s gets them in its own form, with strict on and off", async (_, one, on, off) => {
    expect(await sentTools(one, SCHEMA, false)).toEqual(on);
    expect(await sentTools(one, SCHEMA, true)).toEqual(off);
  });

  it("G-59 Anthropic enforces what its grammar can; what it cannot stays as it is", async () => {
    const plain = {
      type: "object",
      properties: { x: { type: "number" } },
      required: ["x"],
      additionalProperties: false,
    };
    expect(await sentTools(ANTHROPIC, plain, false)).toEqual([{ ...named, input_schema: plain, strict: true }]);
    expect(await sentTools(ANTHROPIC, plain, true)).toEqual([{ ...named, input_schema: plain }]);
    const bounded = { ...plain, properties: { x: { type: "number", minimum: 1 } } };
    expect(await sentTools(ANTHROPIC, bounded, false)).toEqual([{ ...named, input_schema: bounded }]);
  });
});

it("DM-10 a response format without its schema is refused before anything is sent", async () => {
  await using server = await startModelServer();
  const responseFormat = { type: "json_schema" } as unknown as ResponseFormat;
  for (const one of ALL) {
    const request = { model: one.model, messages: [Message.user("hi")], responseFormat };
    await expect(clientFor(one, server).complete(request)).rejects.toThrow("needs a jsonSchema");
  }
  expect(server.requests).toHaveLength(0);
});
