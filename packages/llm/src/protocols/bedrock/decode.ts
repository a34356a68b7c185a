// Reports Bedrock Converse answers to the block sink. Text and reasoning blocks have no start event; usage comes after
// the stop.

import { inStreamError } from "../../errors/classify.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import { own } from "../../types/own.ts";
import type { BlockSink, DecodeContext, Frame, ResponseDecoder } from "../../types/protocol.ts";
import type { FinishReason, Usage } from "../../types/response.ts";
import { structuredOutputTool } from "../anthropic/structured.ts";
import { CLAUDE_REASONS, estimateReasoning } from "../anthropic/usage.ts";
import { parseFrame } from "../common/frame.ts";
import { list, number, object, string } from "../common/json.ts";

interface OpenBlock {
  readonly key: string;
  readonly kind: "text" | "reasoning" | "tool" | "answer";
  signature: string;
  redacted: boolean;
}

export class BedrockDecoder implements ResponseDecoder {
  readonly #context: DecodeContext;
  readonly #open = new Map<number, OpenBlock>();
  #opened = 0;
  #started = false;
  #thinkingChars = 0;
  #stopped = false;
  #counted = false;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  event(frame: Frame, out: BlockSink): void {
    const event = parseFrame(frame, out);
    if (event === undefined) return;
    if (frame.exception !== undefined) {
      out.fail(inStreamError(this.#context.provider, event, frame.exception));
      return;
    }
    const index = number(event["contentBlockIndex"]) ?? 0;
    switch (frame.event) {
      case "contentBlockDelta":
        this.#delta(index, object(event["delta"]) ?? {}, event, out);
        return;
      case "contentBlockStart":
        this.#close(index, out);
        this.#announce(index, object(event["start"]) ?? {}, event, out);
        return;
      case "contentBlockStop":
        this.#close(index, out);
        return;
      case "messageStart":
        this.#messageStart(out);
        return;
      case "messageStop":
        this.#stop(event, out);
        return;
      case "metadata":
        this.#metadata(event, out);
        return;
      default:
        out.providerEvent(event);
    }
  }

  body(body: JsonValue, out: BlockSink): void {
    const answer = object(body) ?? {};
    if (!isJsonObject(answer["output"])) {
      out.fail(inStreamError(this.#context.provider, body));
      return;
    }
    this.#messageStart(out);
    const message = object(object(answer["output"])?.["message"]);
    list(message?.["content"]).forEach((block, index) => {
      if (isJsonObject(block)) this.#wholeBlock(index, block, out);
    });
    this.#stop(answer, out);
    out.raw(body);
    this.#metadata(answer, out);
    this.#finish(out);
  }

  end(out: BlockSink): void {
    if (!this.#stopped) return;
    out.warn({ message: "the stream ended without its usage", code: "missing_terminal" });
    this.#finish(out);
  }

  #messageStart(out: BlockSink): void {
    if (this.#started) {
      this.#open.clear();
      this.#opened = 0;
      this.#thinkingChars = 0;
      this.#stopped = false;
      out.restart({});
    } else out.start({});
    this.#started = true;
  }

  #announce(index: number, start: JsonObject, event: JsonObject, out: BlockSink): void {
    const use = object(start["toolUse"]);
    if (use === undefined) {
      out.providerEvent(event);
      return;
    }
    const name = string(use["name"]) ?? "";
    const block = this.#openBlock(index, name === structuredOutputTool ? "answer" : "tool");
    const id = string(use["toolUseId"]);
    if (block.kind === "tool") out.toolCall(block.key, { name, ...(id === undefined ? {} : { id }) });
  }

  #delta(index: number, delta: JsonObject, event: JsonObject, out: BlockSink): void {
    const reasoning = object(delta["reasoningContent"]);
    if (typeof delta["text"] === "string") {
      if (delta["text"] !== "") out.text(this.#block(index, "text").key, delta["text"]);
    } else if (isJsonObject(delta["toolUse"])) {
      const input = string(delta["toolUse"]["input"]) ?? "";
      const block = this.#block(index, "tool");
      if (block.kind === "answer") out.text(block.key, input);
      else out.toolArguments(block.key, input);
    } else if (reasoning !== undefined) {
      this.#reasoning(this.#block(index, "reasoning"), reasoning, out);
    } else out.providerEvent(event);
  }

  #reasoning(block: OpenBlock, delta: JsonObject, out: BlockSink): void {
    const text = string(delta["text"]) ?? "";
    this.#thinkingChars += text.length;
    out.reasoning(block.key, text);
    block.signature += string(delta["signature"]) ?? "";
    const redacted = string(delta["redactedContent"]);
    if (redacted === undefined) return;
    block.redacted = true;
    block.signature += redacted;
  }

  #wholeBlock(index: number, block: JsonObject, out: BlockSink): void {
    const use = object(block["toolUse"]);
    const reasoning = object(block["reasoningContent"]);
    if (typeof block["text"] === "string") this.#delta(index, block, block, out);
    else if (use !== undefined) {
      this.#announce(index, { toolUse: use }, block, out);
      const input = object(use["input"]) ?? {};
      const whole = Object.keys(input).length === 0 ? "" : JSON.stringify(input);
      this.#delta(index, { toolUse: { input: whole } }, block, out);
    } else if (reasoning !== undefined) {
      this.#reasoning(this.#block(index, "reasoning"), object(reasoning["reasoningText"]) ?? reasoning, out);
    } else out.unknown(block);
    this.#close(index, out);
  }

  /** The open block at this position; another kind closes it and opens a new one. */
  #block(index: number, kind: "text" | "reasoning" | "tool"): OpenBlock {
    const open = this.#open.get(index);
    if (open?.kind === kind || (kind === "tool" && open?.kind === "answer")) return open!;
    return this.#openBlock(index, kind);
  }

  #openBlock(index: number, kind: OpenBlock["kind"]): OpenBlock {
    const block: OpenBlock = { key: String(this.#opened), kind, signature: "", redacted: false };
    this.#opened += 1;
    this.#open.set(index, block);
    return block;
  }

  #close(index: number, out: BlockSink): void {
    const block = this.#open.get(index);
    if (block === undefined) return;
    this.#open.delete(index);
    const { key, kind, signature, redacted } = block;
    if (kind === "tool") out.endToolCall(key);
    else if (kind === "reasoning") out.endReasoning(key, { redacted, ...(signature === "" ? {} : { signature }) });
    else out.endText(key);
  }

  #stop(event: JsonObject, out: BlockSink): void {
    const raw = string(event["stopReason"]);
    if (raw === undefined) return;
    this.#stopped = true;
    const structured = raw === "tool_use" && this.#context.request.responseFormat?.type === "json_schema";
    out.finishReason(structured ? { reason: "stop", raw } : { reason: own(reasons, raw) ?? "other", raw });
    if (this.#counted) this.#finish(out);
  }

  #metadata(event: JsonObject, out: BlockSink): void {
    const raw = object(event["usage"]);
    if (raw !== undefined) out.usage(bedrockUsage(raw));
    this.#counted = true;
    if (this.#stopped) this.#finish(out);
  }

  #finish(out: BlockSink): void {
    for (const index of [...this.#open.keys()]) this.#close(index, out);
    if (this.#thinkingChars > 0) out.usage(estimateReasoning(this.#thinkingChars));
    out.finish();
  }
}

const reasons: Readonly<Record<string, FinishReason["reason"]>> = {
  ...CLAUDE_REASONS,
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
  malformed_tool_use: "error",
  malformed_model_output: "error",
};

function bedrockUsage(raw: JsonObject): Partial<Usage> & { raw: JsonObject } {
  const counts: Record<string, number | undefined> = {
    inputTokens: number(raw["inputTokens"]),
    outputTokens: number(raw["outputTokens"]),
    cacheReadTokens: number(raw["cacheReadInputTokens"]),
    cacheWriteTokens: number(raw["cacheWriteInputTokens"]),
  };
  return { ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined)), raw };
}
