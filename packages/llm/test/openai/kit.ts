// Shared by the tests of the OpenAI dialects: encodes a request to its parsed body, runs frames through a decoder.

import { createSegmentCache } from "../../src/segments.ts";
import { Blocks } from "../../src/stream/blocks.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import type { JsonObject, JsonValue } from "../../src/types/json.ts";
import type { ModelInfo } from "../../src/types/model.ts";
import type { EncodedRequest, EncodeInput, Protocol, SegmentCache } from "../../src/types/protocol.ts";
import type { Request } from "../../src/types/request.ts";
import type { Recorded } from "../serve/again.ts";

export const testModel: ModelInfo = {
  id: "gpt-5.2",
  provider: "openai",
  displayName: "GPT-5.2",
  contextWindow: 400_000,
  supportsTools: true,
  supportsVision: true,
  supportsReasoning: true,
  input: ["text", "image"],
  aliases: [],
  thinking: { mode: "effort", levels: ["off", "low", "medium", "high", "xhigh"] },
};

export type EncodeSetup = Partial<Omit<EncodeInput, "request" | "segments">> & { segments?: SegmentCache };

export function encodeWith(protocol: Protocol, request: Request, setup: EncodeSetup = {}): EncodedRequest {
  return protocol.encode({
    request,
    operation: "stream",
    provider: "openai",
    model: testModel,
    baseUrl: "https://api.openai.com/v1",
    cacheRetention: "short",
    segments: createSegmentCache(),
    options: {},
    ...setup,
  });
}

export function bodyOf(encoded: EncodedRequest): JsonObject {
  return JSON.parse(encoded.body.join("")) as JsonObject;
}

export interface Decoded {
  readonly events: readonly StreamEvent[];
  readonly blocks: Blocks;
}

/** All streams decoded so far. */
export const recorded: Recorded[] = [];

/** Streams the chunks (objects are stringified); `closed` says whether the connection ends afterwards. */
export function decodeStream(protocol: Protocol, chunks: readonly (JsonValue | string)[], closed = true): Decoded {
  const events: StreamEvent[] = [];
  const { decoder, blocks } = begin(protocol, events);
  for (const chunk of chunks) {
    decoder.event({ data: typeof chunk === "string" ? chunk : JSON.stringify(chunk) }, blocks);
  }
  if (closed) decoder.end(blocks);
  recorded.push({ protocol: protocol.name, events, response: blocks.response });
  return { events, blocks };
}

export function decodeBody(protocol: Protocol, body: JsonValue): Decoded {
  const events: StreamEvent[] = [];
  const { decoder, blocks } = begin(protocol, events);
  decoder.body(body, blocks);
  return { events, blocks };
}

function begin(protocol: Protocol, events: StreamEvent[]) {
  const origin = { provider: "openai", model: "gpt-5.2" };
  let ids = 0;
  const newId = () => `id${ids++}`;
  const blocks = new Blocks({
    provider: "openai",
    model: "gpt-5.2",
    origin,
    newId,
    emit: (event) => events.push(event),
  });
  const request = { model: "gpt-5.2", messages: [] };
  return { blocks, decoder: protocol.decoder({ provider: "openai", model: "gpt-5.2", origin, request, newId }) };
}

/** One line per event: enough to compare logs, short enough to write by hand. */
export function log(events: readonly StreamEvent[]): string[] {
  return events.map((event) => {
    switch (event.type) {
      case "text_delta":
      case "tool_call_delta":
        return `${event.type} ${event.delta}`;
      case "text_end":
        return `text_end ${event.text}`;
      case "reasoning_delta":
        return `reasoning_delta ${event.reasoningDelta}`;
      case "tool_call_start":
        return `tool_call_start ${event.toolCall.name} ${event.toolCall.id}`;
      case "tool_call_end":
        return `tool_call_end ${event.toolCall.name} ${event.toolCall.rawArguments}`;
      case "finish":
        return `finish ${event.finishReason.reason}`;
      case "error":
        return `error ${event.error.name} ${event.error.retryable}`;
      default:
        return event.type;
    }
  });
}
