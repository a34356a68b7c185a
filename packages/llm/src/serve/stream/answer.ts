// Our own events for our own clients, one JSON text each. A vendor's verbatim data (`raw`, unknown parts, its own
// events) is not sent, and a delta has only its piece: the reader assembles the call.

import type { SDKError } from "../../types/errors.ts";
import type { StreamEvent, StreamedToolCall } from "../../types/events.ts";
import type { JsonObject } from "../../types/json.ts";
import type { Message } from "../../types/message.ts";
import type { Response, Usage } from "../../types/response.ts";
import { failureOf } from "../common/failure.ts";
import { sse } from "../common/write.ts";
import type { AnswerEncoder, Refusal } from "../types.ts";
import { streamErrorBody } from "./errors.ts";

export class StreamAnswer implements AnswerEncoder {
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  push(event: StreamEvent): string {
    if (this.#isOver) return "";
    switch (event.type) {
      case "provider_event":
        return "";
      case "error":
        return this.fail(event.error);
      case "stream_start": {
        const usage = event.usage === undefined ? {} : { usage: usageOf(event.usage) };
        return line(event.type, { id: event.id, model: event.model, warnings: event.warnings, ...usage });
      }
      case "text_delta":
        return `event: text_delta\ndata: {"type":"text_delta","textId":${JSON.stringify(event.textId)},"delta":${JSON.stringify(event.delta)}}\n\n`;
      case "tool_call_start":
        return line(event.type, { callKey: event.callKey, toolCall: callOf(event.toolCall) });
      case "tool_call_delta":
        return line(event.type, { callKey: event.callKey, delta: event.delta });
      case "tool_call_end": {
        const { rawArguments, arguments: parsed } = event.toolCall;
        return line(event.type, {
          callKey: event.callKey,
          toolCall: { ...callOf(event.toolCall), rawArguments, arguments: parsed },
        });
      }
      case "finish": {
        this.#isOver = true;
        const { finishReason, usage, response } = event;
        return line(event.type, { finishReason, usage: usageOf(usage), response: responseOf(response) });
      }
      default: {
        const { type, ...fields } = event;
        return line(type, fields);
      }
    }
  }

  fail(failure: SDKError | Refusal): string {
    if (this.#isOver) return "";
    this.#isOver = true;
    return line("error", streamErrorBody(failureOf(failure)));
  }

  whole(response: Response): string {
    return JSON.stringify(responseOf(response));
  }
}

const line = (type: string, fields: object): string => sse(JSON.stringify({ type, ...fields }), type);

const callOf = ({ id, name, type }: StreamedToolCall): JsonObject => ({ id, name, type });

function usageOf({ raw: _, ...usage }: Usage): Omit<Usage, "raw"> {
  return usage;
}

function responseOf({ id, model, provider, message, finishReason, usage, warnings, rateLimit }: Response) {
  return {
    id,
    model,
    provider,
    message: withoutUnknownParts(message),
    finishReason,
    usage: usageOf(usage),
    warnings,
    ...(rateLimit === undefined ? {} : { rateLimit }),
  };
}

const withoutUnknownParts = (message: Message): Message => ({
  ...message,
  content: message.content.filter(({ kind }) => kind !== "unknown"),
});
