import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic/index.ts";
import { bedrockConverse } from "../../src/protocols/bedrock/index.ts";
import { googleGenerativeAi, googleVertex } from "../../src/protocols/gemini/index.ts";
import { createSegmentCache } from "../../src/segments.ts";
import { Message } from "../../src/types/message.ts";
import type { SegmentCache } from "../../src/types/protocol.ts";
import type { ToolDefinition } from "../../src/types/request.ts";
import { encode, modelRow } from "./support.ts";

const tools: ToolDefinition[] = [
  { name: "read", description: "Reads.", parameters: { type: "object", properties: { path: { type: "string" } } } },
];
const model = "anthropic.m";
const row = modelRow(model, { supportsCachePoint: true, thinking: { mode: "level" } });
const protocols = [
  ["anthropic", anthropicMessages, ',"max_tokens"'],
  ["amazon-bedrock", bedrockConverse, ',"inferenceConfig"'],
  ["gemini", googleGenerativeAi, ',"generationConfig"'],
  ["google-vertex", googleVertex, ',"generationConfig"'],
] as const;

/** One round of a tool loop: what the model said and the results. */
function round(index: number): Message[] {
  const id = `t${index}`;
  return [
    Message.assistant([
      { kind: "text", text: `step ${index}` },
      { kind: "tool_call", toolCall: { id, name: "read", arguments: { path: `${index}` }, type: "function" } },
    ]),
    Message.toolResult({ toolCallId: id, content: `text ${index} "quoted"` }),
  ];
}

const withoutMarkers = (text: string) =>
  text.replace(/,"cache_control":\{[^}]*\}/g, "").replace(/,\{"cachePoint":\{[^}]*\}\}/g, "");

describe.each(protocols)("PC-01 %s", (provider, protocol, tail) => {
  const run = (messages: readonly Message[], segments: SegmentCache, maxTokens: number) =>
    encode(protocol, provider, { model, messages, tools, maxTokens }, { segments, model: row });

  it("PC-01 A-049 over ten turns each body minus its tail is a byte prefix of the next, whatever the parameters", () => {
    const segments = createSegmentCache();
    const messages = [Message.system("rules"), Message.user("go")];
    let before: string | undefined;
    for (let turn = 0; turn < 10; turn++) {
      const body = withoutMarkers(run(messages, segments, 100 + turn).text);
      const prefix = body.slice(0, body.lastIndexOf(`]${tail}`));
      expect(prefix.length).toBeGreaterThan(50);
      if (before !== undefined) expect(body.startsWith(before)).toBe(true);
      before = prefix;
      messages.push(...round(turn));
    }
  });

  it("PC-01 one round more costs one round of encoding, at 20 messages and at 2000", () => {
    const cache = createSegmentCache();
    let made = 0;
    const segments: SegmentCache = {
      get: (owner, variant, make) =>
        cache.get(owner, variant, () => {
          made += 1;
          return make();
        }),
    };
    const messages = [Message.system("rules"), Message.user("go")];
    const cost = () => {
      made = 0;
      run(messages, segments, 100);
      return made;
    };
    const costs: number[] = [];
    for (const size of [20, 2000]) {
      for (let index = messages.length; messages.length < size; index++) messages.push(...round(index));
      cost();
      messages.push(...round(size * 10));
      costs.push(cost());
    }
    expect(costs).toEqual([2, 2]);
  });
});
