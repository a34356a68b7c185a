// Ollama's NDJSON stream and body. Calls come whole and mostly without ids.

import { inStreamError } from "../../errors/classify.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import type { BlockSink, DecodeContext, Frame, ResponseDecoder } from "../../types/protocol.ts";
import type { FinishReason } from "../../types/response.ts";
import { TextFlow } from "../common/flow.ts";
import { parseFrame } from "../common/frame.ts";

export class OllamaDecoder implements ResponseDecoder {
  readonly #context: DecodeContext;
  readonly #flow = new TextFlow();
  #calls = 0;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  event(frame: Frame, out: BlockSink): void {
    const chunk = parseFrame(frame, out);
    if (chunk) this.#chunk(chunk, out);
  }

  body(body: JsonValue, out: BlockSink): void {
    if (isJsonObject(body)) this.#chunk(body, out);
    else out.fail(inStreamError(this.#context.provider, body));
  }

  end(): void {}

  #chunk(chunk: JsonObject, out: BlockSink): void {
    if (chunk["error"] !== undefined || (chunk["message"] === undefined && chunk["done"] === undefined)) {
      out.fail(inStreamError(this.#context.provider, chunk));
      return;
    }
    out.start(typeof chunk["model"] === "string" ? { model: chunk["model"] } : {});
    if (isJsonObject(chunk["message"])) this.#message(chunk["message"], out);
    if (chunk["done"] !== true) return;
    const { prompt_eval_count: input, eval_count: output, done_reason: word } = chunk;
    out.usage({
      ...(typeof input === "number" ? { inputTokens: input } : {}),
      ...(typeof output === "number" ? { outputTokens: output } : {}),
      raw: Object.fromEntries(Object.entries(chunk).filter(([key]) => /_(count|duration)$/.test(key))),
    });
    out.finishReason(readReason(typeof word === "string" ? word : "stop"));
    out.raw(chunk);
    out.finish();
  }

  #message(message: JsonObject, out: BlockSink): void {
    if (typeof message["thinking"] === "string") this.#flow.append("reasoning", message["thinking"], out);
    if (typeof message["content"] === "string") this.#flow.append("text", message["content"], out);
    const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter(isJsonObject) : [];
    for (const call of calls) {
      const fn = isJsonObject(call["function"]) ? call["function"] : {};
      const key = String(this.#calls++);
      this.#flow.close(out);
      out.toolCall(key, {
        ...(typeof call["id"] === "string" && call["id"] !== "" ? { id: call["id"] } : {}),
        ...(typeof fn["name"] === "string" ? { name: fn["name"] } : {}),
      });
      const args = fn["arguments"];
      out.endToolCall(key, { arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}) });
    }
  }
}

function readReason(word: string): FinishReason {
  if (word === "stop" || word === "length") return { reason: word, raw: word };
  return { reason: "other", raw: word };
}
