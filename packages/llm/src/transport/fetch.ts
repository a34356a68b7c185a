// The transport contract over the global `fetch`, for browsers. Connecting is not visible there, so only the adapter's
// request timeout limits it; proxies and certificates are up to the platform.

import { networkError } from "../errors/network.ts";
import type { Transport, TransportResponse } from "../types/adapter.ts";
import { AbortError } from "../types/errors.ts";
import { joinBody } from "./join-body.ts";
import { withUserInfo } from "./user-info.ts";

/** Makes a transport over `fetch`, by default the global one. */
export function createFetchTransport(fetchFunction: typeof fetch = fetch): Transport {
  return async (original) => {
    const request = withUserInfo(original);
    if (request.signal?.aborted) throw new AbortError("The request was aborted before it was sent.");
    const { origin } = new URL(request.url);
    const controller = new AbortController();
    const onAbort = () => controller.abort();
    request.signal?.addEventListener("abort", onAbort, { once: true });
    const settle = () => request.signal?.removeEventListener("abort", onAbort);
    const explain = (cause: unknown) => {
      settle();
      return request.signal?.aborted ? new AbortError("The request was aborted.") : networkError(origin, cause);
    };
    const response = await fetchFunction(request.url, {
      method: request.method,
      headers: request.headers,
      signal: controller.signal,
      redirect: "manual",
      ...(request.body === undefined ? {} : { body: joinBody(request.body) }),
    }).catch((cause: unknown) => {
      throw explain(cause);
    });
    // In browsers, where the target of a redirect is hidden; elsewhere a redirect is a status like any other.
    if (response.type === "opaqueredirect")
      throw explain(new Error("the server redirects; use the address it redirects to."));
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: { [Symbol.asyncIterator]: () => readBody(response.body, { settle, explain, close: onAbort }) },
    } satisfies TransportResponse;
  };
}

interface BodyHooks {
  readonly settle: () => void;
  readonly explain: (cause: unknown) => Error;
  readonly close: () => void;
}

function readBody(body: ReadableStream<Uint8Array> | null, hooks: BodyHooks): AsyncIterator<Uint8Array> {
  const reader = body?.getReader();
  return {
    async next() {
      const result = await reader?.read().catch((cause: unknown) => {
        throw hooks.explain(cause);
      });
      if (result === undefined || result.done) {
        hooks.settle();
        return { done: true, value: undefined };
      }
      return { done: false, value: result.value };
    },
    async return() {
      hooks.settle();
      // Aborts instead of cancelling: the platform may drain a cancelled body, but closes an aborted one's socket.
      hooks.close();
      return { done: true, value: undefined };
    },
  };
}
