// The Chat Completions stream and body, with the oddities of the servers that imitate it.

import { inStreamError } from "../../errors/classify.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../types/json.ts";
import { own } from "../../types/own.ts";
import type { BlockSink, DecodeContext, Frame, ResponseDecoder } from "../../types/protocol.ts";
import type { FinishReason, Usage } from "../../types/response.ts";
import { TextFlow } from "../common/flow.ts";
import { parseFrame } from "../common/frame.ts";
import { RepeatedChunk } from "../common/repeated-chunk.ts";
import { ReasoningDetails, toSignature } from "./returned.ts";

const reasoningFields = ["reasoning_content", "reasoning", "reasoning_text"] as const;

const finishReasons: Readonly<Record<string, FinishReason["reason"]>> = {
  stop: "stop",
  eos: "stop",
  length: "length",
  model_length: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
  sensitive: "content_filter",
  error: "error",
  network_error: "error",
  insufficient_system_resource: "error",
};

interface OpenCall {
  readonly key: string;
  id: string | undefined;
  /** The arguments so far; only examined if a server reuses the index of a finished call. */
  readonly fragments: string[];
}

export class ChatDecoder implements ResponseDecoder {
  readonly #context: DecodeContext;
  readonly #flow = new TextFlow();
  readonly #calls = new Map<number, OpenCall>();
  readonly #details = new ReasoningDetails();
  readonly #extras = new Map<string, JsonValue>();
  readonly #repeated = new RepeatedChunk();
  #callCount = 0;
  #lastIndex = 0;
  #finished = false;
  #refused = false;
  /** The last chunk, or its text if it was not parsed. */
  #last: JsonObject | string | undefined;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  event(frame: Frame, out: BlockSink): void {
    if (frame.data === "[DONE]") {
      if (!this.#finished) out.finishReason({ reason: "stop" });
      this.#finish(out);
      return;
    }
    if (this.#repeated.isTaken(frame.data)) {
      this.#last = frame.data;
      return;
    }
    this.#repeated.forget();
    const chunk = parseFrame(frame, out);
    if (chunk === undefined) return;
    this.#chunk(chunk, "delta", out);
    const text = onlyTextOf(chunk);
    if (text === undefined) return;
    const { kind, field, value } = text;
    this.#repeated.learn(frame.data, field, value, (next) => this.#flow.append(kind, next, out));
  }

  body(body: JsonValue, out: BlockSink): void {
    if (!isJsonObject(body) || !Array.isArray(body["choices"])) {
      out.fail(inStreamError(this.#context.provider, body));
      return;
    }
    this.#chunk(body, "message", out);
    this.#finish(out);
  }

  end(out: BlockSink): void {
    if (this.#finished) this.#finish(out);
  }

  #finish(out: BlockSink): void {
    for (let index = 0; index < this.#callCount; index++) {
      const signature = toSignature(index === 0 ? this.#details.items : [], this.#extras.get(String(index)));
      if (signature !== undefined) out.endToolCall(String(index), { signature });
    }
    if (this.#last !== undefined)
      out.raw(typeof this.#last === "string" ? (JSON.parse(this.#last) as JsonObject) : this.#last);
    out.finish();
  }

  #chunk(chunk: JsonObject, member: "delta" | "message", out: BlockSink): void {
    if (chunk["error"] !== undefined && chunk["error"] !== null) {
      out.fail(inStreamError(this.#context.provider, chunk));
      return;
    }
    this.#last = chunk;
    out.start({
      ...(typeof chunk["id"] === "string" ? { id: chunk["id"] } : {}),
      ...(typeof chunk["model"] === "string" ? { model: chunk["model"] } : {}),
    });
    const choice = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
    if (isJsonObject(choice)) {
      const delta = choice[member] ?? choice["message"];
      if (isJsonObject(delta)) this.#delta(delta, out);
      this.#usage(choice["usage"], out);
      const reason = choice["finish_reason"];
      if (typeof reason === "string" && reason !== "") {
        this.#finished = true;
        out.finishReason({ reason: own(finishReasons, reason) ?? "other", raw: reason });
      }
    }
    this.#usage(chunk["usage"] ?? (isJsonObject(chunk["x_groq"]) ? chunk["x_groq"]["usage"] : undefined), out);
  }

  #delta(delta: JsonObject, out: BlockSink): void {
    for (const field of reasoningFields) {
      const text = delta[field];
      if (typeof text !== "string" || text === "") continue;
      this.#flow.append("reasoning", text, out);
      break;
    }
    this.#details.add(delta["reasoning_details"]);
    this.#content(delta["content"], out);
    if (typeof delta["refusal"] === "string" && delta["refusal"] !== "") {
      if (!this.#refused) out.warn({ code: "refusal", message: "The model refused; its explanation is in the text" });
      this.#refused = true;
      this.#flow.append("text", delta["refusal"], out);
    }
    const calls = Array.isArray(delta["tool_calls"]) ? delta["tool_calls"] : [];
    for (const [position, call] of calls.entries()) if (isJsonObject(call)) this.#call(call, position, out);
    if (isJsonObject(delta["function_call"])) this.#call({ index: 0, function: delta["function_call"] }, 0, out);
  }

  /** The content is a string, or a list of typed parts, one type of which is thinking. */
  #content(content: JsonValue | undefined, out: BlockSink): void {
    if (typeof content === "string") this.#flow.append("text", content, out);
    if (!Array.isArray(content)) return;
    for (const part of content.filter(isJsonObject)) {
      if (typeof part["text"] === "string") this.#flow.append("text", part["text"], out);
      else if (typeof part["thinking"] === "string") this.#flow.append("reasoning", part["thinking"], out);
      else if (Array.isArray(part["thinking"])) {
        for (const inner of part["thinking"].filter(isJsonObject)) {
          if (typeof inner["text"] === "string") this.#flow.append("reasoning", inner["text"], out);
        }
      }
    }
  }

  #call(call: JsonObject, position: number, out: BlockSink): void {
    this.#flow.close(out);
    const fn = isJsonObject(call["function"]) ? call["function"] : {};
    const id = typeof call["id"] === "string" && call["id"] !== "" ? call["id"] : undefined;
    const name = typeof fn["name"] === "string" && fn["name"] !== "" ? fn["name"] : undefined;
    const open = this.#slot(this.#indexOf(call, id, name, position), id, name);
    out.toolCall(open.key, { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) });
    if (call["extra_content"] !== undefined) this.#extras.set(open.key, call["extra_content"]);
    const args = fn["arguments"];
    const fragment = typeof args === "string" ? args : isJsonObject(args) ? JSON.stringify(args) : "";
    if (fragment === "") return;
    open.fragments.push(fragment);
    out.toolArguments(open.key, fragment);
  }

  /** If there is no index, an id or a name begins a new call, and anything else continues the last one. */
  #indexOf(call: JsonObject, id: string | undefined, name: string | undefined, position: number): number {
    if (typeof call["index"] === "number") this.#lastIndex = call["index"];
    else if (id !== undefined) {
      const known = [...this.#calls].find(([, open]) => open.id === id)?.[0];
      this.#lastIndex = known ?? this.#calls.size;
    } else if (name !== undefined || this.#calls.size === 0) this.#lastIndex = Math.max(position, this.#calls.size);
    return this.#lastIndex;
  }

  #slot(index: number, id: string | undefined, name: string | undefined): OpenCall {
    const known = this.#calls.get(index);
    // Some servers give every parallel call the index 0: a new id and name after complete arguments begin a new call.
    const reused = known?.id !== undefined && id !== undefined && id !== known.id && name !== undefined;
    if (known && !(reused && parseJson(known.fragments.join("")) !== undefined)) {
      known.id ??= id;
      return known;
    }
    const open: OpenCall = { key: String(this.#callCount++), id, fragments: [] };
    this.#calls.set(index, open);
    return open;
  }

  #usage(usage: JsonValue | undefined, out: BlockSink): void {
    if (isJsonObject(usage)) out.usage(readUsage(usage));
  }
}

interface ChunkText {
  readonly kind: "text" | "reasoning";
  readonly field: string;
  readonly value: string;
}

/** The text of a chunk that contains nothing else but the role. */
function onlyTextOf({ choices, usage, x_groq: groq, error }: JsonObject): ChunkText | undefined {
  if (!Array.isArray(choices) || choices.length !== 1 || ![usage, groq, error].every(isNothing)) return undefined;
  const [choice] = choices;
  if (!isJsonObject(choice) || ![choice["finish_reason"], choice["usage"]].every(isNothing)) return undefined;
  const { delta } = choice;
  if (!isJsonObject(delta)) return undefined;
  const [said, ...more] = Object.entries(delta).filter(([name, value]) => name !== "role" && !isNothing(value));
  if (said === undefined || more.length > 0 || typeof said[1] !== "string") return undefined;
  const [field, value] = said;
  if (field === "content") return { kind: "text", field, value };
  return reasoningFields.some((name) => name === field) ? { kind: "reasoning", field, value } : undefined;
}

const isNothing = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

function readUsage(usage: JsonObject): Partial<Usage> & { raw: JsonObject } {
  const prompt = isJsonObject(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {};
  const completion = isJsonObject(usage["completion_tokens_details"]) ? usage["completion_tokens_details"] : {};
  const cached = prompt["cached_tokens"] ?? usage["prompt_cache_hit_tokens"] ?? usage["cached_tokens"];
  const reasoning = completion["reasoning_tokens"];
  return {
    ...(typeof usage["prompt_tokens"] === "number" ? { inputTokens: usage["prompt_tokens"] } : {}),
    ...(typeof usage["completion_tokens"] === "number" ? { outputTokens: usage["completion_tokens"] } : {}),
    ...(typeof cached === "number" ? { cacheReadTokens: cached } : {}),
    ...(typeof reasoning === "number" ? { reasoningTokens: reasoning } : {}),
    raw: usage,
  };
}
