// The served format of a vendor reads what our encoders write for it back as the original request.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic/index.ts";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";
import { openaiResponses } from "../../src/protocols/openai-responses/index.ts";
import { createSegmentCache } from "../../src/segments.ts";
import { servedFormats } from "../../src/serve/index.ts";
import type { FormatName } from "../../src/serve/types.ts";
import { type ContentPart, Message } from "../../src/types/message.ts";
import type { Protocol } from "../../src/types/protocol.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { modelRow } from "../protocols/support.ts";

const runs = process.env["LATHE_LONG"] ? 5000 : 50;

type Side = "chat" | "messages" | "responses" | "stream";

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((text) => text.trim() === text);
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const json = fc.dictionary(name, fc.oneof(words, fc.integer(), fc.boolean(), fc.array(words, { maxLength: 2 })), {
  maxKeys: 3,
});
const pixels = fc.uint8Array({ minLength: 1, maxLength: 6 });

const textPart = words.map((text): ContentPart => ({ kind: "text", text }));
const imagePart = pixels.map((data): ContentPart => ({ kind: "image", image: { data, mediaType: "image/png" } }));
const markedPart = words.map(
  (text): ContentPart => ({ kind: "text", text, cacheControl: { type: "ephemeral", ttl: "5m" } }),
);
const signedThought = words.map(
  (text): ContentPart => ({ kind: "thinking", thinking: { text, redacted: false, signature: `s${text.length}` } }),
);

/** A turn: what the user says, and the answer with its calls and results. Ids are set later. */
interface Round {
  readonly user: readonly ContentPart[];
  readonly thought: ContentPart | undefined;
  readonly said: ContentPart;
  readonly calls: readonly {
    readonly name: string;
    readonly args: Record<string, unknown>;
    readonly result: string;
    readonly isError: boolean;
  }[];
}

const rounds = (side: Side): fc.Arbitrary<Round[]> =>
  fc.array(
    fc.record({
      user: fc.array(
        side === "messages" || side === "stream"
          ? fc.oneof(textPart, imagePart, markedPart)
          : fc.oneof(textPart, imagePart),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
      thought:
        side === "messages" || side === "stream"
          ? fc.option(signedThought, { nil: undefined })
          : fc.constant(undefined),
      said: textPart,
      calls: fc.array(
        fc.record({
          name,
          args: json,
          result: words,
          isError: side === "messages" || side === "stream" ? fc.boolean() : fc.constant(false),
        }),
        { maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 4 },
  );

function conversation(list: readonly Round[], system: string | undefined): Message[] {
  let serial = 0;
  const messages: Message[] = system === undefined ? [] : [Message.system(system)];
  for (const { user, thought, said, calls } of list) {
    messages.push({ role: "user", content: user });
    const made = calls.map((call) => ({ ...call, id: `call_${++serial}` }));
    messages.push({
      role: "assistant",
      content: [
        ...(thought === undefined ? [] : [thought]),
        said,
        ...made.map(
          ({ id, name: tool, args }): ContentPart => ({
            kind: "tool_call",
            toolCall: { id, name: tool, type: "function", arguments: args as never },
          }),
        ),
      ],
    });
    for (const { id, result, isError } of made)
      messages.push(Message.toolResult({ toolCallId: id, content: result, isError }));
  }
  messages.push(Message.user("and now?"));
  return messages;
}

const tools = fc.uniqueArray(
  fc.record({
    name,
    description: words,
    parameters: json.map((properties) => ({ type: "object", properties, additionalProperties: false })),
  }) as fc.Arbitrary<ToolDefinition>,
  { selector: (tool) => tool.name, minLength: 1, maxLength: 3 },
);

const without = <T>(value: T | undefined, key: string): object => (value === undefined ? {} : { [key]: value });

function requests(side: Side): fc.Arbitrary<Request> {
  const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
  return fc
    .record({
      list: rounds(side),
      system: maybe(words),
      tools: maybe(tools),
      choice: maybe(fc.constantFrom("auto", "none", "required", "named")),
      temperature: maybe(fc.integer({ min: 0, max: 100 }).map((value) => value / 100)),
      maxTokens: fc.integer({ min: 1, max: 9000 }),
      stop: maybe(fc.array(words, { minLength: 1, maxLength: 3 })),
      effort: maybe(fc.constantFrom("low", "medium", "high")),
      format: maybe(fc.record({ name, jsonSchema: json })),
    })
    .map(({ list, system, tools: offered, choice, temperature, maxTokens, stop, effort, format }) => {
      const calls = list.some((round) => round.calls.length > 0);
      // Anthropic refuses calls without definitions; what it refuses together with thinking is not sent to it.
      const defined =
        offered ?? (calls ? [{ name: "t", description: "d", parameters: { type: "object" } }] : undefined);
      const mode = choice === "none" && side === "messages" ? "auto" : choice;
      const toolChoice =
        mode === undefined || defined === undefined
          ? undefined
          : mode === "named"
            ? { mode, toolName: defined[0]!.name }
            : { mode };
      const isForced = mode === "required" || mode === "named";
      const thinks = side !== "messages" || (temperature === undefined && !isForced);
      const schema = format && {
        type: "json_schema",
        ...format,
        ...(side === "responses" ? { strict: false } : {}),
      };
      return {
        model: "m",
        messages: conversation(list, system),
        ...without(defined, "tools"),
        ...without(toolChoice, "toolChoice"),
        ...without(side === "messages" ? undefined : schema, "responseFormat"),
        ...without(temperature, "temperature"),
        maxTokens,
        ...without(side === "responses" ? undefined : stop, "stopSequences"),
        ...without(thinks ? effort : undefined, "reasoningEffort"),
      } as Request;
    });
}

const PROTOCOLS: Readonly<Record<Exclude<Side, "stream">, Protocol>> = {
  chat: openaiChat,
  messages: anthropicMessages,
  responses: openaiResponses,
};

function bodyOf(side: Exclude<Side, "stream">, request: Request): unknown {
  const encoded = PROTOCOLS[side].encode({
    request,
    operation: "stream",
    provider: "p",
    model: modelRow("m", { thinking: { mode: side === "messages" ? "adaptive" : "effort" } }),
    baseUrl: "http://127.0.0.1:1/v1",
    cacheRetention: "none",
    segments: createSegmentCache(),
    options: { disableStrictTools: true },
  });
  expect(encoded.warnings).toEqual([]);
  const bytes = encoded.body.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece));
  return JSON.parse(Buffer.concat(bytes).toString());
}

/** Bytes as text, so that requests can be compared and sent. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

function decoded(side: FormatName, body: unknown): unknown {
  const format = servedFormats.find((known) => known.name === side)!;
  const result = format.decode(body);
  if (result.kind === "refused") throw new Error(`${result.refusal.field}: ${result.refusal.message}`);
  expect(result.served.stream).toBe(true);
  return plain(result.served.request);
}

describe("AU-05 a request of ours as the body of a vendor, read back", () => {
  it.each(["chat", "messages", "responses"] as const)("%s", (side) => {
    fc.assert(
      fc.property(requests(side), (request) => {
        expect(decoded(side, bodyOf(side, request))).toEqual(plain(request));
      }),
      { numRuns: runs },
    );
  });

  it("our own form of it", () => {
    fc.assert(
      fc.property(requests("stream"), (request) => {
        expect(decoded("stream", { request: plain(request) })).toEqual(plain(request));
      }),
      { numRuns: runs },
    );
  });
});
