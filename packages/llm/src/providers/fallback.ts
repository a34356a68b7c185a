// Two adapters for one server that may lack the better API: if the first returns 404, the second is used, and once the
// second has worked, the first is not tried again.

import type { ProviderAdapter } from "../types/adapter.ts";
import { NotFoundError } from "../types/errors.ts";

export function withFallback(preferred: ProviderAdapter, fallback: ProviderAdapter): ProviderAdapter {
  let missing = false;
  // For a model that does not exist, both return 404, which says nothing about the endpoint.
  const lacks = (error: unknown): boolean => error instanceof NotFoundError && error.statusCode === 404;
  return {
    name: preferred.name,
    async complete(request, context) {
      if (missing) return fallback.complete(request, context);
      try {
        return await preferred.complete(request, context);
      } catch (error) {
        if (!lacks(error)) throw error;
        const response = await fallback.complete(request, context);
        missing = true;
        return response;
      }
    },
    async *stream(request, context) {
      if (!missing) {
        let began = false;
        try {
          for await (const event of preferred.stream(request, context)) {
            began = true;
            yield event;
          }
          return;
        } catch (error) {
          if (began || !lacks(error)) throw error;
        }
      }
      for await (const event of fallback.stream(request, context)) {
        missing = true;
        yield event;
      }
    },
    // Always from the same adapter: callers compare segments to find changes of the conversation, and a switch is not
    // one.
    segments: (request) => preferred.segments?.(request) ?? [],
    bodyBytes: async (request) => preferred.bodyBytes?.(request),
    supportsToolChoice: (mode) => preferred.supportsToolChoice?.(mode) ?? true,
    async close() {
      await Promise.all([preferred.close?.(), fallback.close?.()]);
    },
  };
}
