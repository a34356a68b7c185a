// One high-level operation: checks its options, builds its request, watches its time limit and abort, retries its
// calls.

import type { Client } from "../client/client.ts";
import { getDefaultClient } from "../client/default.ts";
import { type RetryPolicy, retry } from "../errors/retry.ts";
import { CallGuard } from "../stream/guard.ts";
import { addUsage, NO_USAGE } from "../stream/usage.ts";
import { ConfigurationError, RequestTimeoutError } from "../types/errors.ts";
import { Message } from "../types/message.ts";
import type { Request } from "../types/request.ts";
import type { FinishReason, Response, ToolCall, Usage, Warning } from "../types/response.ts";
import type { Some } from "../types/some.ts";
import {
  checkTools,
  type RepairToolCall,
  runToolCalls,
  type Tool,
  type ToolCallResult,
  toResultMessage,
} from "./tools.ts";

/** The options of `generate` and `stream`. */
export interface GenerateOptions extends Omit<Request, "messages" | "tools"> {
  /** Either a prompt or messages. */
  readonly prompt?: string | undefined;
  readonly messages?: readonly Message[] | undefined;
  readonly system?: string | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /** Rounds of tool execution; after the last round the model is called once more. */
  readonly maxToolRounds?: number | undefined;
  readonly stopWhen?: ((steps: readonly StepResult[]) => boolean) | undefined;
  readonly repairToolCall?: RepairToolCall | undefined;
  readonly maxRetries?: number | undefined;
  readonly retry?: Some<RetryPolicy> | undefined;
  /** Seconds; a number means `total`. */
  readonly timeout?:
    | number
    | { readonly total?: number | undefined; readonly perStep?: number | undefined }
    | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly client?: Client | undefined;
}

/** One answer of the model and the results of the tools it called. */
export interface StepResult {
  readonly text: string;
  readonly reasoning?: string | undefined;
  readonly toolCalls: readonly ToolCall[];
  readonly toolResults: readonly ToolCallResult[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly response: Response;
  readonly warnings: readonly Warning[];
}

/** All but `totalUsage` and `steps` describe the last step. */
export interface GenerateResult extends StepResult {
  readonly totalUsage: Usage;
  readonly steps: readonly StepResult[];
}

export class Operation {
  readonly client: Client;
  readonly steps: StepResult[] = [];
  readonly #options: GenerateOptions;
  readonly #tools: readonly Tool[];
  readonly #request: Omit<Request, "messages">;
  readonly #total: CallGuard;
  readonly #limits: { readonly total: number; readonly perStep: number };
  #begun = false;
  #messages: readonly Message[];

  constructor(options: GenerateOptions) {
    this.#options = options;
    this.#tools = options.tools ?? [];
    checkTools(this.#tools);
    this.#messages = startingMessages(options);
    this.#request = requestOf(options);
    this.client = options.client ?? getDefaultClient();
    const { timeout = {} } = options;
    const limits = typeof timeout === "number" ? { total: timeout } : timeout;
    this.#limits = { total: limits.total ?? 0, perStep: limits.perStep ?? 0 };
    this.#total = new CallGuard("operation", this.client.deps.setTimer, options.abortSignal);
  }

  /** One model call with its retries. The signal for `call` aborts with the step, the operation or the caller. */
  async step<T>(call: (request: Request, signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#total.throwIfOver();
    const guard = this.beginStep();
    try {
      return await this.callWithRetry(guard, call);
    } catch (error) {
      throw this.explain(error, guard);
    } finally {
      guard.release();
    }
  }

  /** The operation's time starts with its first step, so that a stream that is not read yet costs nothing. */
  beginStep(): CallGuard {
    if (!this.#begun) this.#total.arm("total", this.#limits.total);
    this.#begun = true;
    const guard = new CallGuard("operation", this.client.deps.setTimer, this.#total.signal);
    guard.arm("perStep", this.#limits.perStep);
    return guard;
  }

  callWithRetry<T>(guard: CallGuard, call: (request: Request, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { maxRetries, retry: policy } = this.#options;
    const request = { ...this.#request, messages: this.#messages };
    return retry(
      () => call(request, guard.signal),
      { ...policy, ...(maxRetries === undefined ? {} : { maxRetries }) },
      { signal: guard.signal, deps: this.client.deps },
    );
  }

  /** An abort by the caller or a timeout of ours outranks the errors that it caused further down. */
  explain(error: unknown, guard?: CallGuard): unknown {
    const stepFailure = guard?.failure instanceof RequestTimeoutError ? guard.failure : undefined;
    const reason = this.#total.failure ?? stepFailure ?? error;
    if (!(reason instanceof RequestTimeoutError) || (reason.phase !== "total" && reason.phase !== "perStep"))
      return reason;
    return new RequestTimeoutError(reason.message, { phase: reason.phase, partial: { steps: [...this.steps] } });
  }

  /** Records the answer and runs its calls, if they are ours to run. Returns true if the model should be called again. */
  async settle(response: Response): Promise<boolean> {
    const runs = this.#shouldRun(response);
    const results = runs ? await this.#runTools(response) : [];
    this.steps.push(toStep(response, results));
    this.#total.throwIfOver();
    if (!runs || this.#options.stopWhen?.(this.steps) === true) return false;
    this.#messages = [...this.#messages, response.message, ...results.map(toResultMessage)];
    return true;
  }

  result(): GenerateResult {
    const last = this.steps.at(-1) as StepResult;
    const totalUsage = this.steps.reduce((sum, step) => addUsage(sum, step.usage), NO_USAGE);
    return { ...last, totalUsage, steps: this.steps };
  }

  end(): void {
    this.#total.release();
  }

  #shouldRun(response: Response): boolean {
    const rounds = this.steps.filter((step) => step.toolResults.length > 0).length;
    if (response.toolCalls.length === 0 || response.finishReason.reason !== "tool_calls") return false;
    if (rounds >= (this.#options.maxToolRounds ?? 1)) return false;
    const passive = (name: string) => this.#tools.some((tool) => tool.name === name && tool.execute === undefined);
    return !response.toolCalls.some((call) => passive(call.name)) && this.#tools.some((tool) => tool.execute);
  }

  async #runTools(response: Response): Promise<ToolCallResult[]> {
    const { repairToolCall } = this.#options;
    const { signal } = this.#total;
    const running = runToolCalls(response.toolCalls, {
      tools: this.#tools,
      messages: this.#messages,
      signal,
      ...(repairToolCall === undefined ? {} : { repair: repairToolCall }),
    });
    // A handler that ignores its signal must not delay the abort.
    let onAbort = () => {};
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(this.#total.failure);
      signal.addEventListener("abort", onAbort, { once: true });
    });
    try {
      return await Promise.race([running, aborted]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }
}

function toStep(response: Response, toolResults: readonly ToolCallResult[]): StepResult {
  const { text, reasoning, toolCalls, finishReason, usage, warnings } = response;
  return {
    text,
    ...(reasoning === undefined ? {} : { reasoning }),
    toolCalls,
    toolResults,
    finishReason,
    usage,
    response,
    warnings,
  };
}

function startingMessages({ prompt, messages, system }: GenerateOptions): readonly Message[] {
  if (prompt !== undefined && messages !== undefined)
    throw new ConfigurationError("Give either a prompt or messages, not both.");
  if (prompt === undefined && messages === undefined) throw new ConfigurationError("Give a prompt or messages.");
  const conversation = messages ?? [Message.user(prompt ?? "")];
  return system === undefined ? conversation : [Message.system(system), ...conversation];
}

/** The fields of a Request, without those that steer the operation. */
function requestOf(options: GenerateOptions): Omit<Request, "messages"> {
  const {
    prompt: _prompt,
    messages: _messages,
    system: _system,
    tools,
    maxToolRounds: _rounds,
    stopWhen: _stop,
    repairToolCall: _repair,
    maxRetries: _retries,
    retry: _retry,
    timeout: _timeout,
    abortSignal: _signal,
    client: _client,
    ...request
  } = options;
  return tools === undefined || tools.length === 0 ? request : { ...request, tools };
}
