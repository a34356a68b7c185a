// The adapter of a provider whose credential can be renewed: if a request is refused because of its credential, it is
// repeated once with the renewed one before the session hears of it.

import type {
  CallContext,
  ProviderAdapter,
  ProviderError,
  Request,
  StreamEvent,
  StreamEventIterator,
} from "@lathe/llm";
import type { ResolvedCredential } from "../config/credentials/resolve.ts";
import type { CredentialSource } from "../config/credentials/source.ts";

type Resolve = () => Promise<ResolvedCredential | undefined>;

/** The credential that the requests of one adapter use. */
export class RequestCredential {
  readonly #resolve: Resolve;
  readonly #source: CredentialSource;
  #last: ResolvedCredential | undefined;

  constructor(resolve: Resolve, source: CredentialSource) {
    this.#resolve = resolve;
    this.#source = source;
  }

  async resolve(): Promise<ResolvedCredential | undefined> {
    this.#last = await this.#resolve();
    return this.#last;
  }

  /** Whether the credential now differs from the refused one. */
  async renew(error: unknown): Promise<boolean> {
    const { account, value } = this.#last ?? {};
    if (account === undefined || !isRefusal(error)) return false;
    // Another request may have renewed it in the meantime.
    if ((await this.resolve())?.value !== value) return true;
    try {
      await this.#source.refresh(account);
    } catch {
      // The next line fails with the reason, or the vendor's refusal is reported.
    }
    return (await this.resolve())?.value !== value;
  }
}

const isRefusal = (error: unknown): boolean => (Object(error) as Partial<ProviderError>).statusCode === 401;

export function withRenewal(adapter: ProviderAdapter, credential: RequestCredential): ProviderAdapter {
  const renew = async (error: unknown): Promise<boolean> => {
    if (!(await credential.renew(error))) return false;
    // An open connection may still use the old credential.
    void adapter.close?.();
    return true;
  };
  const withOneRetry = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      if (!(await renew(error))) throw error;
      return ask();
    }
  };
  const { compact } = adapter;
  return {
    ...adapter,
    stream: (request: Request, context: CallContext): AsyncIterable<StreamEvent> => ({
      [Symbol.asyncIterator]: () => new RenewingStream(() => adapter.stream(request, context), withOneRetry),
    }),
    complete: (request, context) => withOneRetry(() => adapter.complete(request, context)),
    ...(compact ? { compact: (request, context) => withOneRetry(() => compact(request, context)) } : {}),
  };
}

/** After a failure before the first event nothing has been shown, so the request can be repeated. */
class RenewingStream implements StreamEventIterator {
  readonly #open: () => AsyncIterable<StreamEvent>;
  readonly #twice: <T>(ask: () => Promise<T>) => Promise<T>;
  #events: StreamEventIterator | undefined;

  constructor(open: () => AsyncIterable<StreamEvent>, twice: <T>(ask: () => Promise<T>) => Promise<T>) {
    this.#open = open;
    this.#twice = twice;
  }

  next(): Promise<IteratorResult<StreamEvent>> {
    return this.#events ? this.#events.next() : this.#first();
  }

  takeArrived(): StreamEvent | undefined {
    return this.#events?.takeArrived?.();
  }

  async return(): Promise<IteratorResult<StreamEvent>> {
    await this.#events?.return?.();
    return { done: true, value: undefined };
  }

  #first(): Promise<IteratorResult<StreamEvent>> {
    return this.#twice(async () => {
      const events = this.#open()[Symbol.asyncIterator]() as StreamEventIterator;
      const result = await events.next();
      this.#events = events;
      return result;
    });
  }
}
