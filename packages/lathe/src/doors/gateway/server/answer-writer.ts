// Writes the events of an answer to the client: encoded, as fast as the client reads, with pings while the model is
// silent. It ends an answer if the model is silent for too long, if it exceeds the requested length, or if the key is
// revoked.

import type { ServerResponse } from "node:http";
import { RequestTimeoutError, StreamError, type StreamEvent, type StreamEventIterator } from "@lathe/llm";
import { type AnswerEncoder, mergeDeltas, type ServedFormat } from "@lathe/llm/serve";
import { type SetTimer, whenDrained } from "../../http/live-response.ts";
import { RESPONSE_HEADERS } from "../../http/response-headers.ts";
import { failureOf } from "./failure.ts";
import { GatewayRefusal } from "./refusal.ts";

const BEAT_MS = 15_000;
/** A model that is silent for this long will not continue. */
const SILENCE_MS = 255_000;
/** Few tokens have more characters, so an answer beyond this exceeds its token limit. */
const MOST_CHARACTERS_PER_TOKEN = 64;
const MOST_CHARACTERS_MORE = 64 << 10;
/** Events that have arrived are written together, up to about this many characters. */
const PIECE_CHARACTERS = 64 << 10;

export interface WriterOptions {
  readonly format: ServedFormat;
  readonly encoder: AnswerEncoder;
  readonly isStreamed: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Most tokens of the answer. */
  readonly mostTokens: number;
  readonly mayGoOn: () => boolean;
  /** Aborts the request to the vendor. */
  readonly stop: (reason: Error) => void;
  /** Why the answer was stopped; undefined if it was not. */
  readonly stopped: () => unknown;
  /** Called with each event. */
  readonly note: (event: StreamEvent) => void;
  readonly setTimer: SetTimer;
  readonly now: () => number;
}

export class AnswerWriter {
  readonly #outgoing: ServerResponse;
  readonly #options: WriterOptions;
  readonly #mostCharacters: number;
  #characters = 0;
  /** When the model last sent something, and when we did. */
  #heardAt: number;
  #saidAt: number;

  constructor(outgoing: ServerResponse, options: WriterOptions) {
    this.#outgoing = outgoing;
    this.#options = options;
    this.#mostCharacters = options.mostTokens * MOST_CHARACTERS_PER_TOKEN + MOST_CHARACTERS_MORE;
    this.#heardAt = options.now();
    this.#saidAt = this.#heardAt;
  }

  /** Rejects with the reason if the answer is incomplete; a stream that has begun is ended first. */
  async write(events: AsyncIterable<StreamEvent>): Promise<void> {
    const iterator = events[Symbol.asyncIterator]() as StreamEventIterator;
    const beat = this.#startBeat();
    try {
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
        this.#heardAt = this.#options.now();
        const isOver = this.#options.isStreamed ? await this.#pass(next.value, iterator) : this.#keep(next.value);
        if (isOver) return;
      }
      throw new StreamError("The model's answer ended early.");
    } catch (error) {
      const reason = this.#options.stopped() ?? error;
      if (this.#options.isStreamed && this.#outgoing.headersSent && !this.#outgoing.destroyed)
        this.#outgoing.end(this.#options.encoder.fail(failureOf(reason)));
      throw reason;
    } finally {
      beat.cancel();
      await iterator.return?.();
    }
  }

  /** Sends an event and all that have arrived since, merging deltas of one block. Returns true after the last event. */
  async #pass(first: StreamEvent, iterator: StreamEventIterator): Promise<boolean> {
    const { encoder } = this.#options;
    const texts: string[] = [];
    let length = 0;
    const push = (event: StreamEvent): void => {
      const text = encoder.push(event);
      texts.push(text);
      length += text.length;
    };
    this.#check(first);
    let held = first;
    while (!encoder.isOver && length < PIECE_CHARACTERS) {
      const next = iterator.takeArrived?.();
      if (next === undefined) break;
      this.#check(next);
      const merged = lengthOf(held) < PIECE_CHARACTERS ? mergeDeltas(held, next) : undefined;
      if (merged === undefined) push(held);
      held = merged ?? next;
    }
    push(held);
    // A buffer, because node writes a long string made of many pieces more slowly.
    if (length > 0 || encoder.isOver) await this.#send(Buffer.from(texts.join("")));
    return encoder.isOver;
  }

  /** An unstreamed answer is sent when it is complete. */
  #keep(event: StreamEvent): boolean {
    this.#check(event);
    if (event.type !== "finish") return false;
    const body = this.#options.encoder.whole(event.response);
    this.#outgoing.writeHead(200, {
      ...RESPONSE_HEADERS,
      ...this.#options.headers,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    this.#outgoing.end(body);
    return true;
  }

  #check(event: StreamEvent): void {
    this.#options.note(event);
    if (event.type === "error") throw event.error;
    // Every event counts as one, since events without text could also go on forever.
    this.#characters += 1 + lengthOf(event);
    if (this.#characters <= this.#mostCharacters) return;
    const reason = new GatewayRefusal("internal", "The model's answer was longer than requested and was stopped.", {
      code: "answer_too_long",
    });
    this.#options.stop(reason);
    throw reason;
  }

  async #send(bytes: Buffer): Promise<void> {
    const { encoder, headers, now, setTimer } = this.#options;
    if (!this.#outgoing.headersSent)
      this.#outgoing.writeHead(200, { ...RESPONSE_HEADERS, ...headers, "content-type": "text/event-stream" });
    this.#saidAt = now();
    if (encoder.isOver) this.#outgoing.end(bytes);
    else if (!this.#outgoing.write(bytes)) await whenDrained(this.#outgoing, setTimer);
  }

  #startBeat(): { cancel(): void } {
    const { setTimer, now, format, mayGoOn, stop } = this.#options;
    const beat = (): void => {
      timer = setTimer(beat, BEAT_MS);
      const { headersSent, writableNeedDrain } = this.#outgoing;
      if (now() - this.#heardAt >= SILENCE_MS)
        stop(new RequestTimeoutError("The model sent nothing for 255 s.", { phase: "streamRead" }));
      else if (!mayGoOn())
        stop(new GatewayRefusal("unauthenticated", "This key was revoked.", { code: "key_revoked", isFinal: true }));
      else if (headersSent && !writableNeedDrain && now() - this.#saidAt >= BEAT_MS) this.#outgoing.write(format.ping);
    };
    let timer = setTimer(beat, BEAT_MS);
    return { cancel: () => timer.cancel() };
  }
}

function lengthOf(event: StreamEvent): number {
  switch (event.type) {
    case "text_delta":
    case "tool_call_delta":
      return event.delta.length;
    case "reasoning_delta":
      return event.reasoningDelta.length;
    default:
      return 0;
  }
}
