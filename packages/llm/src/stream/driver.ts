// Drives one streamed answer: pulls bytes in batches, frames and decodes them into a queue, and returns events from the
// queue. There is no generator per layer, and nothing is read while the consumer is busy.

import { createFramer } from "../framing/framer.ts";
import type { AdapterTimeouts, TransportResponse } from "../types/adapter.ts";
import { AbortError, StreamError } from "../types/errors.ts";
import type { StreamEvent, StreamEventIterator } from "../types/events.ts";
import type { JsonValue } from "../types/json.ts";
import type { Framer, FramingKind, ResponseDecoder } from "../types/protocol.ts";
import { type BlockSinkOptions, Blocks } from "./blocks.ts";
import type { CallGuard } from "./guard.ts";

/** An answer whose headers have arrived. */
export interface Exchange {
  readonly response: TransportResponse;
  readonly decoder: ResponseDecoder;
  readonly framing: FramingKind;
  readonly sink: Omit<BlockSinkOptions, "emit">;
  readonly guard: CallGuard;
  readonly timeouts: AdapterTimeouts;
}

const DONE: IteratorResult<StreamEvent> = { done: true, value: undefined };

export class AdapterStream implements AsyncIterable<StreamEvent>, StreamEventIterator {
  readonly #open: (onLeave: (leave: () => void) => void) => Promise<Exchange>;
  /** Called when the consumer leaves, so that a request still under way is dropped too. */
  #leave = (): void => {};
  readonly #onLeave = (leave: () => void): void => {
    this.#leave = leave;
  };
  #isLeft = false;
  #queue: StreamEvent[] = [];
  #head = 0;
  #reader: AnswerReader | undefined;
  #pulling: Promise<IteratorResult<StreamEvent>> | undefined;
  #over = false;

  constructor(open: (onLeave: (leave: () => void) => void) => Promise<Exchange>) {
    this.#open = open;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<StreamEvent>> {
    if (this.#pulling !== undefined) return this.#pulling.then(() => this.next());
    if (this.#head < this.#queue.length) return Promise.resolve(this.#take());
    if (this.#over) return Promise.resolve(DONE);
    this.#pulling = this.#pull();
    const settle = () => {
      this.#pulling = undefined;
    };
    this.#pulling.then(settle, settle);
    return this.#pulling;
  }

  takeArrived(): StreamEvent | undefined {
    const event = this.#pulling === undefined ? this.#queue[this.#head] : undefined;
    if (event === undefined || event.type === "finish" || event.type === "error") return undefined;
    this.#head++;
    return event;
  }

  async return(): Promise<IteratorResult<StreamEvent>> {
    this.#over = true;
    this.#queue = [];
    this.#head = 0;
    // A finished answer closes or returns its own connection.
    if (this.#reader?.sink.response !== undefined) return DONE;
    this.#isLeft = true;
    this.#leave();
    await this.#reader?.close();
    return DONE;
  }

  async #pull(): Promise<IteratorResult<StreamEvent>> {
    try {
      this.#reader ??= new AnswerReader(await this.#open(this.#onLeave), (event) => this.#queue.push(event));
    } catch (error) {
      this.#over = true;
      throw error;
    }
    const reader = this.#reader;
    if (this.#over) {
      await reader.close();
      return DONE;
    }
    this.#queue = [];
    this.#head = 0;
    while (this.#queue.length === 0 && !this.#over) {
      await reader.step();
      if (reader.sink.terminal) this.#over = true;
    }
    if (this.#isLeft) return DONE;
    if (!reader.sink.started && reader.sink.failure !== undefined) throw reader.sink.failure;
    return this.#queue.length === 0 ? DONE : this.#take();
  }

  #take(): IteratorResult<StreamEvent> {
    const event = this.#queue[this.#head++] as StreamEvent;
    // A stream that ends just when it is aborted is still reported as aborted.
    if (event.type === "finish" && this.#reader?.aborted) {
      const error = new AbortError("The request was aborted.");
      return { done: false, value: { type: "error", error, partial: event.response } };
    }
    return { done: false, value: event };
  }
}

/** Reads an answer step by step into a sink; used for streamed and whole answers. */
export class AnswerReader {
  readonly sink: Blocks;
  readonly #exchange: Exchange;
  readonly #bytes: AsyncIterator<Uint8Array>;
  readonly #framer: Framer;
  #first = true;
  /** Set if the server sends one JSON document instead of a stream. */
  #document: { decoder: InstanceType<typeof TextDecoder>; text: string } | undefined;
  #closed = false;

  constructor(exchange: Exchange, emit?: (event: StreamEvent) => void) {
    this.#exchange = exchange;
    const sink = new Blocks({ ...exchange.sink, ...(emit === undefined ? {} : { emit }) });
    this.sink = sink;
    this.#bytes = exchange.response.body[Symbol.asyncIterator]();
    this.#framer = createFramer(exchange.framing, (frame) => {
      if (!sink.terminal) exchange.decoder.event(frame, sink);
    });
  }

  get aborted(): boolean {
    return this.#exchange.guard.aborted;
  }

  /** Reads one batch of bytes. Never throws: failures end the sink. */
  async step(timed = true): Promise<void> {
    const { guard, timeouts, decoder } = this.#exchange;
    const { sink } = this;
    try {
      guard.throwIfOver();
      if (timed) guard.arm(...this.#limit(timeouts));
      const chunk = await this.#bytes.next();
      if (timed) guard.disarm();
      guard.throwIfOver();
      if (chunk.done) this.#end(decoder);
      else this.#push(chunk.value);
    } catch (error) {
      sink.fail(guard.explain(error));
    }
    if (sink.terminal) await this.#finish();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#exchange.guard.release();
    await this.#bytes.return?.();
  }

  #limit(timeouts: AdapterTimeouts): ["firstEvent" | "streamRead", number] {
    return this.#first ? ["firstEvent", timeouts.firstEvent] : ["streamRead", timeouts.streamRead];
  }

  #push(bytes: Uint8Array): void {
    if (this.#first) {
      this.#first = false;
      const contentType = this.#exchange.response.headers["content-type"] ?? "";
      if (contentType.startsWith("text/html"))
        throw new StreamError(
          `${this.#exchange.sink.provider}: the server answered with a web page; check the base URL.`,
        );
      const claimsDocument = this.#exchange.framing !== "ndjson" && !/event-?stream/.test(contentType);
      if (claimsDocument && /^\s*[[{]/.test(new TextDecoder().decode(bytes)))
        this.#document = { decoder: new TextDecoder(), text: "" };
    }
    if (this.#document === undefined) this.#framer.push(bytes);
    else {
      this.#document.text += this.#document.decoder.decode(bytes, { stream: true });
      if (this.#document.text.length > MAX_DOCUMENT) throw new StreamError("The answer is too large.");
    }
  }

  #end(decoder: ResponseDecoder): void {
    const { sink } = this;
    if (this.#document !== undefined) decoder.body(JSON.parse(this.#document.text) as JsonValue, sink);
    else this.#framer.end();
    if (!sink.terminal) decoder.end(sink);
    if (sink.terminal) return;
    if (!sink.sawFinishReason) throw new StreamError(`${this.#exchange.sink.provider}: the stream ended early.`);
    sink.warn({ message: "The stream ended without its closing event.", code: "missing_terminal_event" });
    sink.finish();
  }

  /** Closes a failed exchange; reads a finished one to its end, so that the connection can be reused. */
  async #finish(): Promise<void> {
    if (this.sink.failure !== undefined) {
      await this.close();
      return;
    }
    this.#exchange.guard.arm("streamRead", MAX_DRAIN_SECONDS);
    void drain(this.#bytes).finally(() => this.close());
  }
}

const MAX_DOCUMENT = 64 * 1024 * 1024;
/** Only a few bytes should follow the closing event; a connection is not worth reading more. */
const MAX_DRAIN_READS = 4;
const MAX_DRAIN_SECONDS = 1;

async function drain(bytes: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    for (let read = 0; read < MAX_DRAIN_READS; read++) if ((await bytes.next()).done) return;
  } catch {
    // The answer is complete; it does not matter how the connection ends afterwards.
  }
}
