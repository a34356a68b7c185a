// An ACP agent as a provider: it answers a prompt as a model answers a request, with text, thoughts and calls. An
// answer ends when the agent wants something from us; the next request brings the results, and the agent, which may
// have worked on in the meantime, continues.

import {
  AbortError,
  type CallContext,
  ConfigurationError,
  type Message,
  messageOf,
  type ProviderAdapter,
  type Request,
  type Response,
  StreamError,
  type StreamEvent,
} from "@lathe/llm";
import { AnswerStream } from "./answer-stream.ts";
import type { Arrival, Wish } from "./arrivals.ts";
import type { AgentLink } from "./link.ts";
import { news } from "./news.ts";
import { ACP_TOOLS } from "./tool-names.ts";

export const ACP_PROVIDER = "acp";
/** An agent that is silent for this long counts as stuck. */
const SILENCE_MS = 1_800_000;
const CANCEL_MS = 5_000;

export interface AcpAdapterParts {
  /** The program's name in messages. */
  readonly program: string;
  /** The text of the agent's file, sent before the first prompt. */
  readonly instructions: string;
  open(signal: AbortSignal): Promise<AgentLink>;
  /** A timer like `setTimeout`. */
  setTimer(work: () => void, ms: number): { cancel(): void };
}

export class AcpAdapter implements ProviderAdapter {
  readonly name = ACP_PROVIDER;
  readonly #parts: AcpAdapterParts;
  readonly #seen = new WeakSet<Message>();
  readonly #wishes = new Map<string, Wish>();
  /** Results of tools for wishes, kept until the session reports the end of the call. */
  readonly #answers = new Map<string, Parameters<Wish["grant"]>[0]>();
  #link: AgentLink | undefined;
  #isPrompted = false;
  /** Messages that arrived while the agent worked: the protocol cannot deliver them before the prompt has ended. */
  #unsaid: string[] = [];
  /**
   * The agent's text since its last call, or the text before that call if it has been silent since. When the agent
   * stops, this is its result.
   */
  #lastWords = "";
  #isNewWord = true;
  #cancelling: Promise<void> | undefined;

  constructor(parts: AcpAdapterParts) {
    this.#parts = parts;
  }

  get link(): AgentLink {
    if (!this.#link) throw new Error("the agent does not run");
    return this.#link;
  }

  answer(callId: string, answer: Parameters<Wish["grant"]>[0]): void {
    this.#answers.set(callId, answer);
  }

  async complete(request: Request, context: CallContext): Promise<Response> {
    for await (const event of this.stream(request, context)) {
      if (event.type === "finish") return event.response;
      if (event.type === "error") throw event.error;
    }
    throw new StreamError("The agent gave no answer.");
  }

  async *stream(request: Request, { signal }: CallContext): AsyncGenerator<StreamEvent> {
    const stop = signal ?? new AbortController().signal;
    const answer = new AnswerStream(request);
    yield* answer.start();
    try {
      await this.#cancelling;
      await this.#take(request, stop);
      yield* this.#follow(answer, stop);
    } catch (error) {
      yield* answer.fail(await this.#failure(error, stop));
    }
  }

  async close(): Promise<void> {
    const link = this.#link;
    this.#forget();
    await link?.close();
  }

  /** Passes on what the agent has not received yet. */
  async #take({ messages }: Request, signal: AbortSignal): Promise<void> {
    const isNew = this.#link === undefined;
    const { texts, results, refusal } = news(messages, this.#seen, isNew);
    for (const { toolCallId, isError, text } of results) {
      const wish = this.#wishes.get(toolCallId);
      this.#wishes.delete(toolCallId);
      if (isError) wish?.refuse(text);
      else wish?.grant(this.#answers.get(toolCallId) ?? {});
      this.#answers.delete(toolCallId);
    }
    this.#link ??= await this.#parts.open(signal);
    const { instructions } = this.#parts;
    this.#unsaid.push(...(isNew && instructions !== "" ? [instructions] : []), ...texts);
    if (!this.#isPrompted) this.#prompt(refusal);
    // Only mark them now: if the program could not be started, the next attempt must send everything again.
    for (const message of messages) this.#seen.add(message);
  }

  /** `refusal` says why the agent's result was not accepted. */
  #prompt(refusal: string | undefined): void {
    const corrections = refusal === undefined ? [] : [refusal, "Answer with the corrected result only."];
    const text = [...corrections, ...this.#unsaid].join("\n\n");
    this.#unsaid = [];
    this.#lastWords = "";
    this.#isNewWord = true;
    this.#isPrompted = true;
    this.link.prompt(text === "" ? "Go on." : text);
  }

  async *#follow(answer: AnswerStream, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const { arrivals } = this.link;
    for (;;) {
      const arrival = arrivals.take();
      if (arrival) {
        yield* this.#show(arrival, answer);
        continue;
      }
      // The calls so far must be run and shown now, so the answer ends; whatever arrives in the meantime waits.
      if (answer.hasCalls) return yield* answer.finish();
      await this.#waitForArrival(signal);
    }
  }

  *#show(arrival: Arrival, answer: AnswerStream): Generator<StreamEvent> {
    if (arrival.kind === "text" || arrival.kind === "thought") {
      if (arrival.kind === "text") this.#hear(arrival.text);
      yield* answer.say(arrival.kind, arrival.text);
    } else if (arrival.kind === "wish") {
      this.#wishes.set(arrival.wish.id, arrival.wish);
      yield* answer.call(arrival.wish.id, arrival.wish.tool, arrival.wish.args);
    } else if (arrival.kind === "work") {
      this.#isNewWord = true;
      yield* answer.call(undefined, ACP_TOOLS.work, { ...arrival.work, paths: [...arrival.work.paths] });
    } else if (arrival.kind === "stopped") yield* this.#onStop(arrival.reason, answer);
    else throw new StreamError(`${this.#parts.program}: ${arrival.why}`, { retryable: false });
  }

  #hear(text: string): void {
    this.#lastWords = this.#isNewWord ? text : this.#lastWords + text;
    this.#isNewWord = false;
  }

  *#onStop(reason: string, answer: AnswerStream): Generator<StreamEvent> {
    this.#isPrompted = false;
    if (reason !== "end_turn")
      throw new StreamError(`${this.#parts.program} stopped: ${REASONS[reason] ?? reason}`, { retryable: false });
    if (this.#unsaid.length > 0) this.#prompt(undefined);
    else yield* answer.call(undefined, "yield", { output: this.#lastWords.trim() || "It said nothing." });
  }

  async #waitForArrival(signal: AbortSignal): Promise<void> {
    const silent = new AbortController();
    const why = `${this.#parts.program} was silent for ${SILENCE_MS / 60_000} minutes`;
    const timer = this.#parts.setTimer(() => silent.abort(new StreamError(why, { retryable: false })), SILENCE_MS);
    try {
      await this.link.arrivals.ready(AbortSignal.any([signal, silent.signal]));
    } finally {
      timer.cancel();
    }
  }

  /** Afterwards the next request starts afresh, with the same program if that one confirmed the end of its prompt. */
  async #failure(error: unknown, signal: AbortSignal): Promise<StreamError | AbortError | ConfigurationError> {
    if (signal.aborted) {
      this.#cancelling = this.#cancel();
      return new AbortError("The agent was interrupted.", { cause: error });
    }
    const wasRunning = this.#link !== undefined;
    if (this.#isPrompted || !(error instanceof StreamError)) await this.close();
    if (error instanceof StreamError) return error;
    const { program } = this.#parts;
    return wasRunning
      ? new StreamError(`${program}: ${messageOf(error)}`, { retryable: false })
      : new ConfigurationError(`${program} cannot be started: ${messageOf(error)}`);
  }

  async #cancel(): Promise<void> {
    const link = this.#link;
    if (!link || !this.#isPrompted) return;
    link.cancel();
    this.#wishes.clear();
    const late = new AbortController();
    const timer = this.#parts.setTimer(() => late.abort(), CANCEL_MS);
    try {
      for (let last: Arrival | undefined; last?.kind !== "stopped"; last = link.arrivals.take()) {
        if (last?.kind === "failed") throw new Error(last.why);
        await link.arrivals.ready(late.signal);
      }
      this.#isPrompted = false;
    } catch {
      // The program does not stop, or has ended: the next request starts another one.
      await this.close();
    } finally {
      timer.cancel();
    }
  }

  #forget(): void {
    this.#link = undefined;
    this.#isPrompted = false;
    this.#wishes.clear();
    this.#answers.clear();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  max_tokens: "its answer reached the limit of its model",
  max_turn_requests: "it made as many requests as it may in one turn",
  refusal: "its model refused",
  cancelled: "its work was cancelled",
};
