// Tools for servers and models that do not support them: reads calls out of the answer's text and turns them into
// ordinary ones for the caller. If a server refuses tools, they are described in the system text; if it accepts them,
// it keeps them, and calls that its model writes into the text are still understood.

import { refusesTools } from "../errors/local-servers.ts";
import { makeResponse } from "../stream/response.ts";
import type { CallContext, ProviderAdapter } from "../types/adapter.ts";
import type { StreamEvent, StreamEventIterator } from "../types/events.ts";
import type { ContentPart, ToolCallData } from "../types/message.ts";
import type { Request, ToolDefinition } from "../types/request.ts";
import type { Response } from "../types/response.ts";
import { TextForm } from "./as-text.ts";
import type { WrittenCall } from "./call-forms.ts";
import { CallScanner, type Piece } from "./call-scanner.ts";

/** Options for calls as text. */
export interface TextCallOptions {
  /** Tells the model how to write calls; the description of the tools replaces `{{tools}}`. */
  readonly guide: string;
  /** True if the server is known to refuse tools for this model, so that it gets none from the first request on. */
  readonly startsAsText?: ((model: string) => boolean) | undefined;
  /** Called when the server refused tools for this model. */
  readonly onRefused?: ((model: string) => void) | undefined;
  /** Makes ids for the calls. */
  readonly newId: () => string;
}

/** Wraps an adapter, with calls as text if its server supports no others. */
export function withTextCalls(adapter: ProviderAdapter, options: TextCallOptions): ProviderAdapter {
  const form = new TextForm(options.guide);
  const asText = new Map<string, boolean>();
  const isText = ({ model }: Request): boolean => {
    const known = asText.get(model) ?? options.startsAsText?.(model) ?? false;
    asText.set(model, known);
    return known;
  };
  // A refusal does not change how a model's requests are shown: callers compare them to find changes of the
  // conversation, and no server has cached what it refused.
  const shown = new Map<string, boolean>();
  const toShow = (request: Request): Request => {
    const textual = shown.get(request.model) ?? isText(request);
    shown.set(request.model, textual);
    return textual && offersTools(request) ? form.convert(request) : request;
  };
  const toSend = (request: Request): Request => (isText(request) ? form.convert(request) : request);
  const switchesToText = (request: Request, error: unknown): boolean => {
    if (isText(request) || !refusesTools(error)) return false;
    asText.set(request.model, true);
    options.onRefused?.(request.model);
    return true;
  };
  return {
    ...adapter,
    async complete(request, context) {
      if (!offersTools(request)) return adapter.complete(request, context);
      const answer = async (): Promise<Response> =>
        readResponse(await adapter.complete(toSend(request), context), request.tools, callIds(options));
      try {
        return await answer();
      } catch (error) {
        if (!switchesToText(request, error)) throw error;
        return answer();
      }
    },
    stream(request, context) {
      if (!offersTools(request)) return adapter.stream(request, context);
      return new CallStream({ adapter, request, context, toSend, switchesToText, ids: callIds(options) });
    },
    ...(adapter.segments ? { segments: (request: Request) => adapter.segments!(toShow(request)) } : {}),
    ...(adapter.bodyBytes
      ? { bodyBytes: (request: Request) => adapter.bodyBytes!(offersTools(request) ? toSend(request) : request) }
      : {}),
  };
}

type WithTools = Request & { readonly tools: readonly ToolDefinition[] };

const offersTools = (request: Request): request is WithTools => (request.tools?.length ?? 0) > 0;

/** The n-th call of an answer always gets the same id, however often the answer is read. */
function callIds({ newId }: TextCallOptions): (nth: number) => string {
  const ids: string[] = [];
  return (nth) => {
    ids[nth] ??= `call_${newId().replaceAll("-", "").slice(0, 24)}`;
    return ids[nth];
  };
}

/** Takes the calls out of the text parts. An answer with real calls is left unchanged. */
function readResponse(response: Response, tools: readonly ToolDefinition[], ids: (nth: number) => string): Response {
  const { message } = response;
  if (message.content.some(({ kind }) => kind === "tool_call")) return response;
  let calls = 0;
  const content = message.content.flatMap((part): ContentPart[] => {
    if (part.kind !== "text") return [part];
    const pieces = readText(part.text, tools);
    if (pieces.every(({ kind }) => kind === "text")) return [part];
    return pieces.map((piece) =>
      piece.kind === "text"
        ? { kind: "text", text: piece.text }
        : { kind: "tool_call", toolCall: callData(piece.call, ids(calls++)) },
    );
  });
  if (calls === 0) return response;
  const { text: _, toolCalls: __, reasoning: ___, finishReason, ...rest } = response;
  // An answer that ended at its limit keeps that reason, because its last call may be cut off.
  const ended = finishReason.reason === "length" ? finishReason : { ...finishReason, reason: "tool_calls" as const };
  return makeResponse({ ...rest, finishReason: ended, message: { ...message, content } });
}

/** Splits a whole text into pieces. Space between calls does not count as text. */
function readText(text: string, tools: readonly ToolDefinition[]): Piece[] {
  const scanner = new CallScanner(tools);
  const around = new SpaceAroundCalls();
  const pieces: Piece[] = [];
  for (const piece of [...scanner.push(text), ...scanner.end()].flatMap((one) => around.next(one))) {
    const last = pieces.at(-1);
    if (piece.kind === "text" && last?.kind === "text")
      pieces[pieces.length - 1] = { kind: "text", text: last.text + piece.text };
    else pieces.push(piece);
  }
  return pieces;
}

/** Holds back the space after a call until text follows. */
class SpaceAroundCalls {
  #waits: string | undefined;

  next(piece: Piece): Piece[] {
    if (piece.kind === "call") {
      this.#waits = "";
      return [piece];
    }
    if (this.#waits === undefined) return [piece];
    this.#waits += piece.text;
    if (this.#waits.trim() === "") return [];
    const text = this.#waits.trimStart();
    this.#waits = undefined;
    return [{ kind: "text", text }];
  }
}

function callData(call: WrittenCall, id: string): ToolCallData {
  const { name } = call;
  if ("raw" in call) return { id, name, type: "function", arguments: {}, rawArguments: call.raw };
  return { id, name, type: "function", arguments: call.arguments };
}

interface CallStreamParts {
  readonly adapter: ProviderAdapter;
  readonly request: WithTools;
  readonly context: CallContext;
  readonly toSend: (request: Request) => Request;
  readonly switchesToText: (request: Request, error: unknown) => boolean;
  readonly ids: (nth: number) => string;
}

/** A text block of the answer while it streams in. */
interface OpenBlock {
  readonly textId: string;
  readonly scanner: CallScanner;
  readonly around: SpaceAroundCalls;
  /** The id of the block being written now; calls split the server's block into several. */
  id: string;
  parts: number;
  text: string | undefined;
}

/** True if the server's own block continues with plain text. */
const passesAsItIs = (block: OpenBlock, { delta }: { readonly delta: string }): boolean =>
  block.text !== undefined && block.id === block.textId && block.scanner.passes(delta);

/** The events of an answer, including those for the calls in its text. */
class CallStream implements AsyncIterable<StreamEvent>, StreamEventIterator {
  readonly #parts: CallStreamParts;
  #events: StreamEventIterator | undefined;
  readonly #queue: StreamEvent[] = [];
  #head = 0;
  #block: OpenBlock | undefined;
  #calls = 0;
  #hasOwnCalls = false;

  constructor(parts: CallStreamParts) {
    this.#parts = parts;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<StreamEvent>> {
    const event = this.#shift() ?? this.#nextArrived();
    return event ? Promise.resolve({ done: false, value: event }) : this.#wait();
  }

  async #wait(): Promise<IteratorResult<StreamEvent>> {
    for (;;) {
      const next = this.#events ? await this.#events.next() : await this.#open();
      if (next.done) return next;
      this.#take(next.value);
      const event = this.#shift() ?? this.#nextArrived();
      if (event) return { done: false, value: event };
    }
  }

  /** The next event that has already arrived, if it does not end the answer. */
  #nextArrived(): StreamEvent | undefined {
    for (let event = this.#events?.takeArrived?.(); event; event = this.#events?.takeArrived?.()) {
      this.#take(event);
      const ready = this.#shift();
      if (ready) return ready;
    }
    return undefined;
  }

  /** Like the adapter's own: never returns the event that ends the answer. */
  takeArrived(): StreamEvent | undefined {
    const waiting = this.#queue[this.#head];
    if (waiting) return waiting.type === "finish" || waiting.type === "error" ? undefined : this.#shift();
    return this.#nextArrived();
  }

  async return(): Promise<IteratorResult<StreamEvent>> {
    return (await this.#events?.return?.()) ?? { done: true, value: undefined };
  }

  #shift(): StreamEvent | undefined {
    const event = this.#queue[this.#head];
    if (!event) return undefined;
    if (++this.#head === this.#queue.length) {
      this.#queue.length = 0;
      this.#head = 0;
    }
    return event;
  }

  async #open(): Promise<IteratorResult<StreamEvent>> {
    const { adapter, request, context, toSend, switchesToText } = this.#parts;
    const begin = (): Promise<IteratorResult<StreamEvent>> => {
      this.#events = adapter.stream(toSend(request), context)[Symbol.asyncIterator]();
      return this.#events.next();
    };
    try {
      return await begin();
    } catch (error) {
      if (!switchesToText(request, error)) throw error;
      return begin();
    }
  }

  #take(event: StreamEvent): void {
    switch (event.type) {
      case "text_start":
        this.#block = {
          textId: event.textId,
          scanner: new CallScanner(this.#parts.request.tools),
          around: new SpaceAroundCalls(),
          id: event.textId,
          parts: 0,
          text: undefined,
        };
        return;
      case "text_delta":
        if (!this.#block) this.#queue.push(event);
        else if (passesAsItIs(this.#block, event)) {
          this.#block.text += event.delta;
          this.#queue.push(event);
        } else this.#emit(this.#block, this.#block.scanner.push(event.delta));
        return;
      case "text_end":
        if (!this.#block) this.#queue.push(event);
        else this.#endBlock(this.#block);
        return;
      case "tool_call_start":
        this.#hasOwnCalls = true;
        break;
      case "stream_restart":
        this.#block = undefined;
        this.#calls = 0;
        this.#hasOwnCalls = false;
        break;
      case "finish":
        if (!this.#hasOwnCalls) {
          const response = readResponse(event.response, this.#parts.request.tools, this.#parts.ids);
          this.#queue.push({ ...event, finishReason: response.finishReason, response });
          return;
        }
        break;
    }
    this.#queue.push(event);
  }

  #endBlock(block: OpenBlock): void {
    this.#emit(block, block.scanner.end());
    this.#closeText(block);
    this.#block = undefined;
  }

  #emit(block: OpenBlock, pieces: readonly Piece[]): void {
    for (const one of pieces) for (const piece of block.around.next(one)) this.#emitPiece(block, piece);
  }

  #emitPiece(block: OpenBlock, piece: Piece): void {
    if (piece.kind === "text") this.#emitText(block, piece.text);
    else this.#emitCall(block, piece.call);
  }

  #emitText(block: OpenBlock, delta: string): void {
    if (block.text === undefined) {
      block.id = block.parts === 0 ? block.textId : `${block.textId}.${block.parts}`;
      block.parts++;
      block.text = "";
      this.#queue.push({ type: "text_start", textId: block.id });
    }
    block.text += delta;
    this.#queue.push({ type: "text_delta", textId: block.id, delta });
  }

  #closeText(block: OpenBlock): void {
    if (block.text === undefined) return;
    this.#queue.push({ type: "text_end", textId: block.id, text: block.text });
    block.text = undefined;
  }

  #emitCall(block: OpenBlock, call: WrittenCall): void {
    this.#closeText(block);
    const id = this.#parts.ids(this.#calls++);
    const callKey = `text:${this.#calls}`;
    const raw = "raw" in call ? call.raw : JSON.stringify(call.arguments);
    const args = "raw" in call ? {} : call.arguments;
    const begun = { id, name: call.name, type: "function", rawArguments: "", arguments: {} } as const;
    const whole = { ...begun, rawArguments: raw, arguments: args };
    this.#queue.push(
      { type: "tool_call_start", callKey, toolCall: begun },
      { type: "tool_call_delta", callKey, toolCall: whole, delta: raw },
      { type: "tool_call_end", callKey, toolCall: whole },
    );
  }
}
