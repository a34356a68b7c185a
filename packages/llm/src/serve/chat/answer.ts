// Our events and answers as Chat Completions.

import { callIdOf } from "../../protocols/common/ids.ts";
import type { SDKError } from "../../types/errors.ts";
import type { StreamEvent } from "../../types/events.ts";
import type { JsonObject } from "../../types/json.ts";
import type { Message } from "../../types/message.ts";
import type { Response } from "../../types/response.ts";
import {
  argumentText,
  type ContentEvent,
  joined,
  StreamedAnswer,
  StreamedArguments,
  stopWord,
} from "../common/answer.ts";
import { carriedBeside } from "../common/carrier.ts";
import { failureOf } from "../common/failure.ts";
import { openaiErrorBody } from "../common/openai-errors.ts";
import { countsOf } from "../common/usage.ts";
import { Pieces, sse } from "../common/write.ts";
import type { Refusal } from "../types.ts";

const STOPS = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  other: "stop",
} as const;

interface OpenCall {
  readonly index: number;
  readonly streamed: StreamedArguments;
  readonly pieces: Pieces;
}

export class ChatAnswer extends StreamedAnswer {
  readonly #calls = new Map<string, OpenCall>();
  readonly #texts = new Map<string, Pieces>();
  /** Everything in a chunk around its delta; made only once, because a long answer has thousands. */
  #head = "";
  #envelope: JsonObject = {};

  protected begin(id: string | undefined, model: string): string {
    this.#envelope = this.#envelopeOf("chat.completion.chunk", id, model);
    this.#head = `data: ${JSON.stringify(this.#envelope).slice(0, -1)},"choices":[{"index":0,"delta":`;
    return this.#chunk('{"role":"assistant","content":""}');
  }

  protected content(event: ContentEvent): string {
    switch (event.type) {
      case "text_delta":
        return this.#text(event.textId, event.delta, "content");
      case "reasoning_delta":
        return this.#text(event.reasoningId, event.reasoningDelta, "reasoning_content");
      case "tool_call_start":
        return this.#open(event.callKey, event.toolCall.id, event.toolCall.name);
      case "tool_call_delta": {
        const call = this.#calls.get(event.callKey);
        if (call === undefined) return "";
        call.streamed.add(event.delta);
        return this.#arguments(call, call.pieces.next(event.delta));
      }
      case "tool_call_end": {
        const call = this.#calls.get(event.callKey);
        return call === undefined ? "" : this.#arguments(call, call.streamed.rest(event.toolCall.rawArguments));
      }
      default:
        return "";
    }
  }

  protected finish({ response }: Extract<StreamEvent, { type: "finish" }>): string {
    const details = detailsOf(response.message);
    const carried = details === undefined ? "" : this.#chunk(JSON.stringify({ reasoning_details: details }));
    const stop = this.#chunk("{}", `"${stopWord(STOPS, response.finishReason)}"`);
    const usage = this.context.served.wishes.includeUsage
      ? sse(JSON.stringify({ ...this.#envelope, choices: [], usage: usageOf(response) }))
      : "";
    return `${carried}${stop}${usage}data: [DONE]\n\n`;
  }

  protected encodeFailure(failure: SDKError | Refusal): string {
    return sse(JSON.stringify({ error: openaiErrorBody(failureOf(failure)) }));
  }

  protected body(response: Response): string {
    const { message } = response;
    const calls = message.content.flatMap((part) =>
      part.kind === "tool_call" ? [callObject(part.toolCall.id, part.toolCall.name, argumentText(part.toolCall))] : [],
    );
    const thought = joined(message, "thinking");
    const details = detailsOf(message);
    return JSON.stringify({
      ...this.#envelopeOf("chat.completion", response.id, response.model),
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: response.text === "" && calls.length > 0 ? null : response.text,
            refusal: null,
            ...(thought === "" ? {} : { reasoning_content: thought }),
            ...(details === undefined ? {} : { reasoning_details: details }),
            ...(calls.length === 0 ? {} : { tool_calls: calls }),
          },
          logprobs: null,
          finish_reason: stopWord(STOPS, response.finishReason),
        },
      ],
      usage: usageOf(response),
    });
  }

  #envelopeOf(object: string, id: string | undefined, model: string): JsonObject {
    const created = Math.floor(this.context.now() / 1000);
    return { id: id || `chatcmpl-${this.context.newId()}`, object, created, model, system_fingerprint: null };
  }

  #chunk(delta: string, stop = "null"): string {
    return `${this.#head}${delta},"logprobs":null,"finish_reason":${stop}}]}\n\n`;
  }

  #text(id: string, delta: string, field: "content" | "reasoning_content"): string {
    let pieces = this.#texts.get(id);
    if (pieces === undefined) {
      pieces = new Pieces();
      this.#texts.set(id, pieces);
    }
    const text = pieces.next(delta);
    return text === "" ? "" : this.#chunk(`{"${field}":${JSON.stringify(text)}}`);
  }

  #open(key: string, id: string, name: string): string {
    const index = this.#calls.size;
    this.#calls.set(key, { index, streamed: new StreamedArguments(), pieces: new Pieces() });
    return this.#chunk(JSON.stringify({ tool_calls: [{ index, ...callObject(id, name, "") }] }));
  }

  #arguments({ index }: OpenCall, fragment: string): string {
    if (fragment === "") return "";
    return this.#chunk(`{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(fragment)}}}]}`);
  }
}

const callObject = (id: string, name: string, args: string): JsonObject => ({
  id: callIdOf(id),
  type: "function",
  function: { name, arguments: args },
});

function detailsOf(message: Message): JsonObject[] | undefined {
  const data = carriedBeside(message.content, { thoughts: true, items: true });
  return data === undefined ? undefined : [{ type: "reasoning.encrypted", data, index: 0 }];
}

function usageOf({ usage, provider }: Response): JsonObject {
  const { input, output, cacheRead, reasoning } = countsOf(usage, provider);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
