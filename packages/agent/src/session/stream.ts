// Reads one model answer: live events for the host, deadlines for a silent server, hooks that may cut it off.

import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Request,
  RequestTimeoutError,
  type Response,
  type SDKError,
  StreamError,
  type StreamEvent,
  type StreamEventIterator,
  type Usage,
} from "@lathe/llm";
import type { StreamCut } from "../contract/seams/types.ts";
import type { HostChoices, ModelContext, SessionLog, Toolbox } from "./facades.ts";

/** The adapter's own deadline has the better message; ours only catches adapters that do not enforce theirs. */
const WATCHDOG_GRACE_MS = 2000;
/**
 * In characters: several times the longest possible answer. A server that goes on beyond it never stalls and would fill
 * our memory.
 */
const LONGEST_ANSWER = 2_000_000;
/** Far below how far an event reader may fall behind before its deltas are merged. */
const MOST_IN_A_ROW = 256;

export type AnswerResult =
  | { readonly kind: "response"; readonly response: Response }
  /** A hook ended the answer. */
  | { readonly kind: "cut"; readonly cut: StreamCut; readonly partial: PartialAnswer }
  | { readonly kind: "failed"; readonly error: unknown; readonly partial: PartialAnswer };

export interface PartialAnswer {
  /** assistant_text_start was emitted and not closed yet. */
  started: boolean;
  text: string;
  reasoning: string;
  /** The usage, if the vendor reported it. */
  usage?: Usage;
}

export async function readAnswer(
  core: SessionLog & HostChoices & ModelContext & Toolbox,
  signal: AbortSignal,
  request: Request,
): Promise<AnswerResult> {
  const partial: PartialAnswer = { started: false, text: "", reasoning: "" };
  const reader = new StreamReader(core, signal);
  try {
    if (!core.profile.supportsStreaming) {
      const response = await reader.whole(request);
      const { finishReason, usage } = response;
      const cut = await core.seams.onStreamEvent({ type: "finish", finishReason, usage, response }, signal);
      return cut ? { kind: "cut", cut, partial: { ...partial, usage } } : { kind: "response", response };
    }
    return await reader.read(request, partial);
  } catch (error) {
    return { kind: "failed", error, partial };
  } finally {
    reader.stop();
  }
}

/** Loads what the call needs while the model still writes its arguments. The call itself reports a failure. */
async function prepareTool({ tools }: Toolbox, name: string): Promise<void> {
  try {
    await tools.get(name)?.tool.prepare?.();
  } catch {}
}

class StreamReader {
  readonly #core: SessionLog & HostChoices & ModelContext & Toolbox;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #onAbort: () => void;
  #failPending: ((reason: unknown) => void) | undefined;
  #iterator: StreamEventIterator | undefined;
  #inRow = 0;
  #finished = false;
  #received = 0;
  #lastSign: number;
  #watchdog: { cancel(): void } | undefined;

  constructor(core: SessionLog & HostChoices & ModelContext & Toolbox, outer: AbortSignal) {
    this.#core = core;
    this.#outer = outer;
    this.#lastSign = core.deps.now();
    this.#onAbort = () => this.#end(outer.reason);
    outer.addEventListener("abort", this.#onAbort, { once: true });
    if (outer.aborted) this.#end(outer.reason);
  }

  whole(request: Request): Promise<Response> {
    this.#watch(this.#core.config.firstEventTimeoutMs, "firstEvent");
    return this.#abortable(this.#core.client.complete(request, this.#context())).then((response) => {
      this.#finished = true;
      return response;
    });
  }

  async read(request: Request, partial: PartialAnswer): Promise<AnswerResult> {
    const { config, client, seams, prefix } = this.#core;
    this.#watch(config.firstEventTimeoutMs, "firstEvent");
    const iterator: StreamEventIterator = client.stream(request, this.#context())[Symbol.asyncIterator]();
    this.#iterator = iterator;
    for (let first = true; ; first = false) {
      const event = this.#arrivedEvent(iterator) ?? (await this.#nextEvent(iterator));
      if (first) {
        this.#watch(config.stallTimeoutMs, "streamRead");
        prefix.record();
      }
      if (seams.hasStreamHooks) {
        const verdict = seams.onStreamEvent(event, this.#controller.signal);
        const cut = verdict instanceof Promise ? await verdict : verdict;
        if (cut) {
          this.#end(new Error("stopped by a hook"));
          return { kind: "cut", cut, partial };
        }
      }
      const result = this.#take(event, partial);
      if (result) return result;
    }
  }

  /** Readers of the events run only while we wait, so we take only a few events in a row. */
  #arrivedEvent(iterator: StreamEventIterator): StreamEvent | undefined {
    if (this.#inRow >= MOST_IN_A_ROW || this.#controller.signal.aborted) return undefined;
    this.#inRow++;
    return iterator.takeArrived?.();
  }

  async #nextEvent(iterator: StreamEventIterator): Promise<StreamEvent> {
    if (this.#inRow >= MOST_IN_A_ROW) await this.#abortable(nextTurn());
    this.#inRow = 0;
    const next = await this.#abortable(iterator.next());
    if (next.done) throw new Error("the model's answer ended without a terminal event");
    this.#lastSign = this.#core.deps.now();
    return next.value;
  }

  stop(): void {
    this.#watchdog?.cancel();
    this.#outer.removeEventListener("abort", this.#onAbort);
    const end = this.#finished ? this.#iterator?.next() : this.#iterator?.return?.();
    end?.catch(() => undefined);
    // Closes the socket of an answer that we left before its end. An answer that ended keeps it for the next request.
    if (!this.#finished) this.#controller.abort();
  }

  #take(event: StreamEvent, partial: PartialAnswer): AnswerResult | undefined {
    const core = this.#core;
    switch (event.type) {
      case "stream_start":
        core.emit("assistant_text_start", {});
        partial.started = true;
        if (event.usage) partial.usage = event.usage;
        break;
      case "stream_restart":
        core.emit("retry", {
          attempt: 0,
          delay_ms: 0,
          discards: true,
          kind: "network",
          error_type: "stream_restart",
          message: "the vendor restarted its answer",
        });
        core.emit("assistant_text_start", {});
        partial.text = "";
        partial.reasoning = "";
        break;
      case "text_delta":
        this.#count(event.delta);
        partial.text += event.delta;
        core.emit("assistant_text_delta", { delta: event.delta });
        break;
      case "reasoning_delta":
        this.#count(event.reasoningDelta);
        partial.reasoning += event.reasoningDelta;
        core.emit("assistant_reasoning_delta", { delta: event.reasoningDelta });
        break;
      case "tool_call_start":
        void prepareTool(core, event.toolCall.name);
        break;
      case "tool_call_delta":
        this.#count(event.delta);
        core.emit("tool_call_args_delta", {
          call_id: event.toolCall.id,
          tool_name: event.toolCall.name,
          delta: event.delta,
        });
        break;
      case "finish":
        this.#finished = true;
        return { kind: "response", response: event.response };
      case "error":
        if (event.partial) partial.usage = event.partial.usage;
        return { kind: "failed", error: event.error, partial };
    }
    return undefined;
  }

  #count(delta: string): void {
    this.#received += delta.length;
    if (this.#received > LONGEST_ANSWER)
      throw new StreamError(`The answer did not end: reading stopped after ${LONGEST_ANSWER} characters.`);
  }

  /** Rejects at once when the stream is ended from outside, whatever the adapter does. */
  #abortable<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#controller.signal.aborted) {
        promise.catch(() => undefined);
        reject(this.#controller.signal.reason);
        return;
      }
      this.#failPending = reject;
      promise.then(resolve, reject);
    });
  }

  #end(reason: unknown): void {
    this.#controller.abort(reason);
    this.#failPending?.(reason);
  }

  #context(): { signal: AbortSignal; timeout: { firstEvent: number; streamRead: number } } {
    const { firstEventTimeoutMs, stallTimeoutMs } = this.#core.config;
    return {
      signal: this.#controller.signal,
      timeout: { firstEvent: firstEventTimeoutMs / 1000, streamRead: stallTimeoutMs / 1000 },
    };
  }

  /** One timer that is moved along, instead of one per event. */
  #watch(ms: number, phase: "firstEvent" | "streamRead"): void {
    this.#watchdog?.cancel();
    if (ms <= 0) return;
    const limit = ms + WATCHDOG_GRACE_MS;
    const arm = (wait: number): void => {
      this.#watchdog = this.#core.deps.setTimer(() => {
        const left = this.#lastSign + limit - this.#core.deps.now();
        if (left > 0) arm(left);
        else this.#end(stallError(ms, phase));
      }, wait);
    };
    arm(limit);
  }
}

function stallError(ms: number, phase: "firstEvent" | "streamRead"): SDKError {
  const what = phase === "firstEvent" ? "did not begin to answer" : "stopped in the middle of its answer";
  return new RequestTimeoutError(`the model ${what} for ${ms / 1000} s`, { phase });
}
