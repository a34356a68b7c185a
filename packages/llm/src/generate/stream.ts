// The same loop with streaming: events of every step, one `step_finish` between two steps, only the last `finish`.

import { StreamAccumulator } from "../stream/accumulate.ts";
import { StreamError } from "../types/errors.ts";
import type { StreamEvent } from "../types/events.ts";
import type { Response } from "../types/response.ts";
import { type GenerateOptions, Operation, type StepResult } from "./operation.ts";

/** An event of the model, or the end of a step of the tool loop. */
export type GenerateEvent = StreamEvent | { readonly type: "step_finish"; readonly step: StepResult };

/** Can be consumed once: iterate it, or its `textStream`. After an error event, its error is thrown. */
export interface StreamResult extends AsyncIterable<GenerateEvent> {
  readonly textStream: AsyncIterable<string>;
  /** The answer so far; undefined before the first event. */
  readonly partialResponse: Response | undefined;
  /** The last step's answer, once the stream has been read to its end. */
  response(): Promise<Response>;
  /** All steps that are complete. */
  readonly steps: readonly StepResult[];
}

/** The streaming form of `generate`. It starts when it is first read. */
export function stream(options: GenerateOptions): StreamResult {
  return new LiveOperation(new Operation(options));
}

class LiveOperation implements StreamResult {
  readonly #operation: Operation;
  readonly #accumulator: StreamAccumulator;
  readonly #outcome: Promise<Response>;
  #resolve: (response: Response) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #consumed = false;
  #begun = false;

  constructor(operation: Operation) {
    this.#operation = operation;
    this.#accumulator = new StreamAccumulator(operation.client.defaultProvider);
    this.#outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A caller that iterates gets the error there, and `response()` is optional.
    this.#outcome.catch(() => {});
  }

  get partialResponse(): Response | undefined {
    return this.#begun ? this.#accumulator.response() : undefined;
  }
  get steps(): readonly StepResult[] {
    return this.#operation.steps;
  }
  get textStream(): AsyncIterable<string> {
    return textOnly(this);
  }

  response(): Promise<Response> {
    return this.#outcome;
  }

  [Symbol.asyncIterator](): AsyncIterator<GenerateEvent> {
    if (this.#consumed) throw new StreamError("A stream can be read only once.", { retryable: false });
    this.#consumed = true;
    return this.#run();
  }

  async *#run(): AsyncGenerator<GenerateEvent, void, undefined> {
    const operation = this.#operation;
    try {
      for (;;) {
        const response = yield* this.#step();
        const again = await operation.settle(response);
        if (!again) {
          yield { type: "finish", finishReason: response.finishReason, usage: response.usage, response };
          this.#resolve(response);
          return;
        }
        yield { type: "step_finish", step: operation.steps.at(-1) as StepResult };
      }
    } catch (error) {
      const reason = operation.explain(error);
      this.#reject(reason);
      throw reason;
    } finally {
      operation.end();
      this.#reject(new StreamError("The stream was left before its end.", { retryable: false }));
    }
  }

  /** One answer: yields everything but its `finish`, which only the last step passes on. */
  async *#step(): AsyncGenerator<GenerateEvent, Response, undefined> {
    const operation = this.#operation;
    const guard = operation.beginStep();
    let events: AsyncIterator<StreamEvent> | undefined;
    try {
      guard.throwIfOver();
      const opened = await operation.callWithRetry(guard, async (request, signal) => {
        const iterator = operation.client.stream(request, { signal })[Symbol.asyncIterator]();
        return { iterator, first: await iterator.next() };
      });
      events = opened.iterator;
      for (let result = opened.first; !result.done; result = await events.next()) {
        const event = result.value;
        this.#begun = true;
        this.#accumulator.process(event);
        if (event.type === "finish") return event.response;
        yield event;
        if (event.type === "error") throw event.error;
      }
      throw new StreamError("The stream ended without a closing event.");
    } catch (error) {
      throw operation.explain(error, guard);
    } finally {
      guard.release();
      await events?.return?.();
    }
  }
}

async function* textOnly(events: AsyncIterable<GenerateEvent>): AsyncGenerator<string, void, undefined> {
  for await (const event of events) if (event.type === "text_delta") yield event.delta;
}
