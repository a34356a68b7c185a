// Drives one protocol without a network: request to body, frames to events.

import { createSegmentCache } from "../../src/segments.ts";
import { Blocks } from "../../src/stream/blocks.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import type { JsonObject, JsonValue } from "../../src/types/json.ts";
import type { ModelInfo } from "../../src/types/model.ts";
import type { EncodedRequest, EncodeInput, Frame, Protocol } from "../../src/types/protocol.ts";
import type { Request } from "../../src/types/request.ts";
import type { Response } from "../../src/types/response.ts";
import type { Recorded } from "../serve/again.ts";

export function modelRow(id: string, more: Partial<ModelInfo> = {}): ModelInfo {
  return {
    id,
    provider: "test",
    displayName: id,
    contextWindow: 200_000,
    supportsTools: true,
    supportsVision: true,
    supportsReasoning: true,
    input: ["text", "image"],
    aliases: [],
    ...more,
  };
}

export type EncodeOverrides = Partial<Omit<EncodeInput, "request">>;

export function encode(
  protocol: Protocol,
  provider: string,
  request: Request,
  more: EncodeOverrides = {},
): EncodedRequest & { readonly json: JsonObject; readonly text: string } {
  const encoded = protocol.encode({
    request,
    operation: "complete",
    provider,
    model: modelRow(request.model),
    baseUrl: "http://127.0.0.1:1",
    cacheRetention: "short",
    segments: createSegmentCache(),
    options: {},
    ...more,
  });
  const text = encoded.body.join("");
  return { ...encoded, text, json: JSON.parse(text) as JsonObject };
}

export interface Decoded {
  readonly events: readonly StreamEvent[];
  readonly response: Response | undefined;
  readonly error: Error | undefined;
}

export interface DecodeOptions {
  readonly provider: string;
  readonly request?: Partial<Request>;
}

/** Everything decoded so far. */
export const recorded: Recorded[] = [];

/** Every frame, then the end of the connection. */
export function decodeFrames(protocol: Protocol, options: DecodeOptions, frames: readonly Frame[]): Decoded {
  return decode(protocol, options, (decoder, sink) => {
    for (const frame of frames) decoder.event(frame, sink);
    decoder.end(sink);
  });
}

export function decodeBody(protocol: Protocol, options: DecodeOptions, body: JsonValue): Decoded {
  return decode(protocol, options, (decoder, sink) => {
    decoder.body(body, sink);
    decoder.end(sink);
  });
}

function decode(
  protocol: Protocol,
  { provider, request }: DecodeOptions,
  run: (decoder: ReturnType<Protocol["decoder"]>, sink: Blocks) => void,
): Decoded {
  const events: StreamEvent[] = [];
  let ids = 0;
  const newId = () => `id${++ids}`;
  const whole: Request = { model: "m", messages: [], ...request };
  const origin = { provider, model: whole.model };
  const sink = new Blocks({ provider, model: whole.model, origin, newId, emit: (event) => events.push(event) });
  run(protocol.decoder({ provider, model: whole.model, origin, request: whole, newId }), sink);
  recorded.push({ protocol: protocol.name, events, response: sink.response });
  return { events, response: sink.response, error: sink.failure };
}

/** One line per event, enough to compare whole logs. */
export function log(events: readonly StreamEvent[]): string[] {
  return events.map((event) => {
    switch (event.type) {
      case "text_start":
        return `text_start ${event.textId}`;
      case "text_delta":
        return `text_delta ${event.textId} ${event.delta}`;
      case "text_end":
        return `text_end ${event.textId} ${event.text}`;
      case "reasoning_start":
        return `reasoning_start ${event.reasoningId}`;
      case "reasoning_delta":
        return `reasoning_delta ${event.reasoningId} ${event.reasoningDelta}`;
      case "reasoning_end":
        return `reasoning_end ${event.reasoningId} ${event.thinking.text}|${event.thinking.signature ?? ""}|${event.thinking.redacted}`;
      case "tool_call_start":
        return `tool_call_start ${event.callKey} ${event.toolCall.id} ${event.toolCall.name}`;
      case "tool_call_delta":
        return `tool_call_delta ${event.callKey} ${event.delta}`;
      case "tool_call_end":
        return `tool_call_end ${event.callKey} ${event.toolCall.rawArguments}`;
      case "finish":
        return `finish ${event.finishReason.reason} ${event.finishReason.raw ?? ""}`;
      case "error":
        return `error ${event.error.name}`;
      default:
        return event.type;
    }
  });
}

/** SSE-style frames of objects that contain their own type. */
export function frames(...events: readonly JsonObject[]): Frame[] {
  return events.map((event) => ({ data: JSON.stringify(event) }));
}
