// Reports Gemini's answer to the block sink. Parts have no ids: a change of kind, or a signature, ends a block.

import { inStreamError } from "../../errors/classify.ts";
import { ContentFilterError } from "../../types/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import { own } from "../../types/own.ts";
import type { BlockSink, DecodeContext, Frame, ResponseDecoder } from "../../types/protocol.ts";
import type { FinishReason, Usage } from "../../types/response.ts";
import { parseFrame } from "../common/frame.ts";
import { list, number, object, string } from "../common/json.ts";
import { PartialArguments } from "./partial-args.ts";

interface OpenBlock {
  readonly kind: "text" | "reasoning" | "call";
  readonly key: string;
  signature?: string;
  vendorId?: string;
  partial?: PartialArguments;
}

export class GeminiDecoder implements ResponseDecoder {
  readonly #context: DecodeContext;
  #open: OpenBlock | undefined;
  #opened = 0;
  #complete = false;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  event(frame: Frame, out: BlockSink): void {
    const chunk = parseFrame(frame, out);
    if (chunk !== undefined && this.#chunk(chunk, out)) out.raw(chunk);
  }

  body(body: JsonValue, out: BlockSink): void {
    for (const chunk of Array.isArray(body) ? body : [body]) if (isJsonObject(chunk)) this.#chunk(chunk, out);
    out.raw(body);
    if (this.#complete) this.end(out);
    else out.fail(inStreamError(this.#context.provider, body));
  }

  end(out: BlockSink): void {
    if (!this.#complete) return;
    this.#close(out);
    out.finish();
  }

  /** Returns true if the answer ends with this chunk. */
  #chunk(chunk: JsonObject, out: BlockSink): boolean {
    if (chunk["error"] !== undefined) {
      out.fail(inStreamError(this.#context.provider, chunk));
      return false;
    }
    const candidate = object(list(chunk["candidates"])[0]);
    const block = string(object(chunk["promptFeedback"])?.["blockReason"]);
    if (block !== undefined && candidate === undefined) {
      out.fail(
        new ContentFilterError(`the prompt was blocked (${block}); change it and send it again`, {
          provider: this.#context.provider,
          errorCode: block,
          raw: chunk,
        }),
      );
      return false;
    }
    const id = string(chunk["responseId"]);
    const model = string(chunk["modelVersion"]);
    out.start({ ...(id === undefined ? {} : { id }), ...(model === undefined ? {} : { model }) });
    for (const part of list(object(candidate?.["content"])?.["parts"])) if (isJsonObject(part)) this.#part(part, out);
    const usage = object(chunk["usageMetadata"]);
    if (usage !== undefined) out.usage(geminiUsage(usage));
    const reason = string(candidate?.["finishReason"]);
    if (reason === undefined) return false;
    this.#complete = true;
    out.finishReason(geminiFinish(reason));
    return true;
  }

  #part(part: JsonObject, out: BlockSink): void {
    const signature = string(part["thoughtSignature"]);
    const call = object(part["functionCall"]);
    if (call !== undefined) {
      this.#call(call, signature, part, out);
    } else if (typeof part["text"] === "string") {
      this.#text(part["thought"] === true ? "reasoning" : "text", part["text"], signature, out);
    } else {
      this.#close(out);
      out.unknown(part);
    }
  }

  #text(kind: "text" | "reasoning", text: string, signature: string | undefined, out: BlockSink): void {
    if (text === "" && signature === undefined) return;
    // Text after a signed part belongs to another part, which must be sent back as one.
    if (this.#open?.kind !== kind || this.#open.signature !== undefined) this.#begin(kind, out);
    const block = this.#open!;
    if (kind === "text") out.text(block.key, text);
    else out.reasoning(block.key, text);
    if (signature !== undefined) block.signature = signature;
  }

  #call(call: JsonObject, signature: string | undefined, part: JsonObject, out: BlockSink): void {
    const name = string(call["name"]);
    const more = call["willContinue"] === true;
    if (name) this.#begin("call", out);
    const block = this.#open;
    if (block?.kind !== "call") {
      this.#close(out);
      out.unknown(part);
      return;
    }
    const id = string(call["id"]);
    if (id) block.vendorId = id;
    if (signature !== undefined) block.signature = signature;
    out.toolCall(block.key, { ...(id ? { id } : {}), ...(name ? { name } : {}) });
    if (call["partialArgs"] !== undefined || more) {
      block.partial ??= new PartialArguments();
      block.partial.add(call["partialArgs"]);
    }
    if (isJsonObject(call["args"])) out.toolArguments(block.key, JSON.stringify(call["args"]));
    if (!more) this.#close(out);
  }

  #begin(kind: OpenBlock["kind"], out: BlockSink): void {
    this.#close(out);
    this.#open = { kind, key: String(this.#opened) };
    this.#opened += 1;
  }

  #close(out: BlockSink): void {
    const block = this.#open;
    if (block === undefined) return;
    this.#open = undefined;
    const signed = block.signature === undefined ? {} : { signature: block.signature };
    if (block.kind === "text") out.endText(block.key, signed);
    else if (block.kind === "reasoning") out.endReasoning(block.key, signed);
    else {
      if (block.partial) out.toolArguments(block.key, block.partial.json);
      out.endToolCall(block.key, {
        ...signed,
        ...(block.vendorId === undefined ? {} : { itemId: block.vendorId }),
      });
    }
  }
}

const reasons: Readonly<Record<string, FinishReason["reason"]>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  MALFORMED_FUNCTION_CALL: "error",
};

function geminiFinish(raw: string): FinishReason {
  return { reason: own(reasons, raw) ?? "other", raw };
}

function geminiUsage(raw: JsonObject): Partial<Usage> & { raw: JsonObject } {
  const counts: Record<string, number | undefined> = {
    inputTokens: number(raw["promptTokenCount"]),
    outputTokens: number(raw["candidatesTokenCount"]),
    reasoningTokens: number(raw["thoughtsTokenCount"]),
    cacheReadTokens: number(raw["cachedContentTokenCount"]),
  };
  return { ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined)), raw };
}
