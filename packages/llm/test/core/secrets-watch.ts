// Searches everything that leaves an adapter for the keys it was given. The suites run their adapters through
// here, so a leak anywhere fails the test that saw it.

import { inspect } from "node:util";
import type { ProviderAdapter } from "../../src/types/adapter.ts";
import { ProviderError } from "../../src/types/errors.ts";
import type { StreamEvent } from "../../src/types/events.ts";

/** All ways in which a host might print a value. */
function printed(value: unknown): string {
  const raw = value instanceof ProviderError ? JSON.stringify(value.raw) : "";
  const error = value instanceof Error ? `${value.message} ${value.stack}` : "";
  return inspect(value, { depth: 20, showHidden: true }) + JSON.stringify(value) + error + raw;
}

export function assertNoSecret(value: unknown, secrets: readonly string[]): void {
  const text = printed(value);
  for (const secret of secrets)
    if (text.includes(secret))
      throw new Error(`a secret got out: ${text.replaceAll(secret, "<secret>").slice(0, 500)}`);
}

export function watched(adapter: ProviderAdapter, secrets: readonly string[]): ProviderAdapter {
  const passes = <T>(value: T): T => {
    assertNoSecret(value, secrets);
    return value;
  };
  const fails = (error: unknown): never => {
    throw passes(error);
  };
  passes(adapter);
  return {
    ...adapter,
    complete: (request, context) => adapter.complete(request, context).then(passes, fails),
    stream: (request, context) => ({
      [Symbol.asyncIterator](): AsyncIterator<StreamEvent> {
        const events = adapter.stream(request, context)[Symbol.asyncIterator]();
        return {
          next: () => events.next().then(passes, fails),
          return: async () => (await events.return?.()) ?? { done: true, value: undefined },
        };
      },
    }),
  };
}
