// A model in the same process that plays a script, for tests of the loop that need no wire.

import { createHash } from "node:crypto";
import {
  AbortError,
  type CallContext,
  type ContentPart,
  type FinishReason,
  type JsonObject,
  type Message,
  type Request,
  type Response,
  type Segment,
  type StreamEvent,
  type StreamedToolCall,
  type Usage,
} from "@lathe/llm";
import type { ModelClient } from "../../src/session/types.ts";

export interface ScriptedCall {
  readonly name: string;
  readonly args?: JsonObject;
  readonly id?: string;
  /** What the model wrote, if it is not valid JSON. */
  readonly raw?: string;
}

export interface ScriptedTurn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly finish?: FinishReason["reason"];
  readonly usage?: Usage;
  /** Thrown before the first event. */
  readonly error?: Error;
  /** Ends the stream after the text, instead of finish. */
  readonly breakWith?: Error;
  /** Awaited before the answer begins. */
  readonly before?: () => Promise<void> | void;
  /** Awaited between the two halves of the text. */
  readonly midway?: () => Promise<void> | void;
}

export type Script = readonly ScriptedTurn[] | ((request: Request, index: number) => ScriptedTurn);

const USAGE: Usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120 };

export class ScriptedClient implements ModelClient {
  readonly requests: Request[] = [];
  readonly #script: Script;
  readonly #segments = new WeakMap<object, Segment>();
  /** Answers that have begun but not ended. */
  open = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  async complete(request: Request, context: CallContext = {}): Promise<Response> {
    for await (const event of this.stream(request, context)) {
      if (event.type === "finish") return event.response;
      if (event.type === "error") throw event.error;
    }
    throw new Error("the script has no answer");
  }

  async *stream(request: Request, context: CallContext = {}): AsyncGenerator<StreamEvent> {
    const index = this.requests.length;
    this.requests.push(request);
    const turn = typeof this.#script === "function" ? this.#script(request, index) : this.#script[index];
    if (!turn) throw new Error(`the script has no turn ${index}`);
    this.open += 1;
    try {
      await abortable(turn.before?.(), context.signal);
      if (turn.error) throw turn.error;
      yield* this.#play(turn, index, request, context.signal);
    } finally {
      this.open -= 1;
    }
  }

  segments(request: Request): readonly Segment[] {
    const segments: Segment[] = [];
    if (request.tools) segments.push(this.#segment(request.tools, "tools"));
    for (const message of request.messages) {
      segments.push(this.#segment(message, message.role === "system" ? "system" : "message"));
    }
    return segments;
  }

  #segment(value: object, kind: Segment["kind"]): Segment {
    const known = this.#segments.get(value);
    if (known) return known;
    const text = JSON.stringify(value);
    const segment: Segment = {
      kind,
      text,
      hash: createHash("sha256").update(text).digest("hex"),
      bytes: Buffer.byteLength(text),
    };
    this.#segments.set(value, segment);
    return segment;
  }

  async *#play(
    turn: ScriptedTurn,
    index: number,
    request: Request,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<StreamEvent> {
    const content: ContentPart[] = [];
    yield { type: "stream_start", id: `r${index}`, model: request.model };
    if (turn.reasoning !== undefined) {
      const thinking = { text: turn.reasoning, redacted: false };
      content.push({ kind: "thinking", thinking });
      yield { type: "reasoning_start", reasoningId: "0" };
      yield { type: "reasoning_delta", reasoningId: "0", reasoningDelta: turn.reasoning };
      yield { type: "reasoning_end", reasoningId: "0", thinking };
    }
    if (turn.text !== undefined) {
      const half = Math.ceil(turn.text.length / 2);
      content.push({ kind: "text", text: turn.text });
      yield { type: "text_start", textId: "1" };
      yield { type: "text_delta", textId: "1", delta: turn.text.slice(0, half) };
      await abortable(turn.midway?.(), signal);
      if (half < turn.text.length) yield { type: "text_delta", textId: "1", delta: turn.text.slice(half) };
      if (turn.breakWith) throw turn.breakWith;
      yield { type: "text_end", textId: "1", text: turn.text };
    }
    for (const [position, call] of (turn.calls ?? []).entries()) {
      const id = call.id ?? `call_${index}_${position}`;
      const args = call.args ?? {};
      const raw = call.raw ?? JSON.stringify(args);
      const streamed: StreamedToolCall = { id, name: call.name, type: "function", rawArguments: raw, arguments: args };
      content.push({
        kind: "tool_call",
        toolCall: {
          id,
          name: call.name,
          arguments: args,
          type: "function",
          ...(call.raw === undefined ? {} : { rawArguments: call.raw }),
        },
      });
      yield { type: "tool_call_start", callKey: id, toolCall: streamed };
      yield { type: "tool_call_delta", callKey: id, toolCall: streamed, delta: raw };
      yield { type: "tool_call_end", callKey: id, toolCall: streamed };
    }
    const response = responseOf(turn, content, index, request);
    yield { type: "finish", finishReason: response.finishReason, usage: response.usage, response };
  }
}

function responseOf(turn: ScriptedTurn, content: ContentPart[], index: number, request: Request): Response {
  const message: Message = { role: "assistant", content };
  const reason = turn.finish ?? ((turn.calls?.length ?? 0) > 0 ? "tool_calls" : "stop");
  return {
    id: `r${index}`,
    model: request.model,
    provider: request.provider ?? "test",
    message,
    finishReason: { reason },
    usage: turn.usage ?? USAGE,
    warnings: [],
    text: turn.text ?? "",
    toolCalls: [],
    ...(turn.reasoning === undefined ? {} : { reasoning: turn.reasoning }),
  };
}

async function abortable(work: Promise<void> | void, signal: AbortSignal | undefined): Promise<void> {
  if (!work) return;
  if (!signal) return work;
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => reject(new AbortError("aborted"));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject);
  });
}

/** The text of the n-th tool result of a request. */
export function resultText(request: Request, callId: string): string {
  for (const message of request.messages) {
    for (const part of message.content) {
      if (part.kind !== "tool_result" || part.toolResult.toolCallId !== callId) continue;
      const { content } = part.toolResult;
      return typeof content === "string" ? content : JSON.stringify(content);
    }
  }
  throw new Error(`no result for ${callId} in the request`);
}
