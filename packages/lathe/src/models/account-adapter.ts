// The adapter of a provider with several accounts: if an account has reached its limit, the request is repeated with
// the next account before the session hears of it.

import type {
  CallContext,
  ProviderAdapter,
  ProviderError,
  Request,
  Response,
  StreamEvent,
  StreamEventIterator,
} from "@lathe/llm";
import type { AccountChoices, AccountLimit } from "../config/credentials/accounts/choices.ts";
import type { AccountInfo } from "../config/credentials/source.ts";

/** The limit the account ran into; undefined if the failure has another cause. */
function limitOf(error: unknown): AccountLimit | undefined {
  const { kind, retryAfter } = Object(error) as Partial<ProviderError>;
  if (kind !== "rate_limit" && kind !== "quota") return undefined;
  return { kind, ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1000 }) };
}

export function withAccounts(adapter: ProviderAdapter, provider: string, choices: AccountChoices): ProviderAdapter {
  const takeOver = async (account: AccountInfo, error: unknown): Promise<boolean> => {
    const limit = limitOf(error);
    if (!limit || !(await choices.takeOver(account, limit))) return false;
    // An open connection may still use the other account's key.
    void adapter.close?.();
    return true;
  };
  const completeWithTakeOver = async (ask: () => Promise<Response>): Promise<Response> => {
    for (;;) {
      const account = choices.current(provider);
      try {
        const response = await ask();
        if (account) await choices.note(account, response.rateLimit);
        return response;
      } catch (error) {
        if (!account || !(await takeOver(account, error))) throw error;
      }
    }
  };
  const stream = (request: Request, context: CallContext): AsyncIterable<StreamEvent> => {
    // With a single account, return the adapter's own stream, which does not create a promise per delta.
    if (!choices.current(provider)) return adapter.stream(request, context);
    return {
      [Symbol.asyncIterator]: () =>
        new AccountStream(
          () => adapter.stream(request, context),
          () => choices.current(provider),
          choices,
          takeOver,
        ),
    };
  };
  const { compact } = adapter;
  return {
    ...adapter,
    stream,
    complete: (request, context) => completeWithTakeOver(() => adapter.complete(request, context)),
    ...(compact ? { compact: (request, context) => completeWithTakeOver(() => compact(request, context)) } : {}),
  };
}

class AccountStream implements StreamEventIterator {
  readonly #open: () => AsyncIterable<StreamEvent>;
  readonly #present: () => AccountInfo | undefined;
  readonly #choices: AccountChoices;
  readonly #takeOver: (account: AccountInfo, error: unknown) => Promise<boolean>;
  #account: AccountInfo | undefined;
  #events: StreamEventIterator | undefined;

  constructor(
    open: () => AsyncIterable<StreamEvent>,
    present: () => AccountInfo | undefined,
    choices: AccountChoices,
    takeOver: (account: AccountInfo, error: unknown) => Promise<boolean>,
  ) {
    this.#open = open;
    this.#present = present;
    this.#choices = choices;
    this.#takeOver = takeOver;
  }

  async next(): Promise<IteratorResult<StreamEvent>> {
    if (!this.#events) return this.#first();
    const result = await this.#events.next();
    if (!result.done) await this.#look(result.value);
    return result;
  }

  takeArrived(): StreamEvent | undefined {
    return this.#events?.takeArrived?.();
  }

  async return(): Promise<IteratorResult<StreamEvent>> {
    await this.#events?.return?.();
    return { done: true, value: undefined };
  }

  /** After a failure before the first event nothing has been shown yet, so the next account can be tried. */
  async #first(): Promise<IteratorResult<StreamEvent>> {
    for (;;) {
      this.#account = this.#present();
      const events = this.#open()[Symbol.asyncIterator]();
      try {
        const result = await events.next();
        this.#events = events;
        if (!result.done) await this.#look(result.value);
        return result;
      } catch (error) {
        if (!this.#account || !(await this.#takeOver(this.#account, error))) throw error;
      }
    }
  }

  /** A limit in the middle of an answer ends it; the session then asks again, and the next account answers. */
  async #look(event: StreamEvent): Promise<void> {
    if (!this.#account) return;
    if (event.type === "finish") await this.#choices.note(this.#account, event.response.rateLimit);
    if (event.type === "error" && (await this.#takeOver(this.#account, event.error))) this.#choices.oweRetry();
  }
}
