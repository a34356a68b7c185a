// Error bodies of the OpenAI family.

import type { ErrorDetails, HttpError, Refusal } from "../dialect.ts";
import { defaultMessage, errorHeaders } from "./http.ts";

const TYPES: Readonly<Record<number, { type: string; code: string | null }>> = {
  400: { type: "invalid_request_error", code: null },
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  403: { type: "invalid_request_error", code: "unsupported_country_region_territory" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  408: { type: "timeout", code: null },
  413: { type: "invalid_request_error", code: "request_too_large" },
  429: { type: "requests", code: "rate_limit_exceeded" },
};

export function openaiError(status: number, options: ErrorDetails): HttpError {
  const known = TYPES[status] ?? { type: "server_error", code: null };
  return {
    status,
    headers: errorHeaders(options),
    body: {
      error: {
        message: options.message ?? defaultMessage(status),
        type: options.code === "insufficient_quota" ? "insufficient_quota" : known.type,
        param: options.param ?? null,
        code: options.code ?? known.code,
      },
    },
  };
}

export const openaiStreamErrors = {
  overloaded: {
    code: "server_is_overloaded",
    message: "Our servers are currently overloaded. Please try again later.",
  },
  rate_limit: { code: "rate_limit_exceeded", message: "Rate limit reached. Please try again in 6s." },
  server: { code: "server_error", message: "The server had an error while processing your request." },
  invalid: { code: "invalid_prompt", message: "The prompt was refused." },
  context_length: {
    code: "context_length_exceeded",
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  },
};

export function openaiDenied(key: string | undefined): Refusal {
  if (key === undefined) return { status: 401, message: "You didn't provide an API key." };
  return { status: 401, message: "Incorrect API key provided.", code: "invalid_api_key" };
}
