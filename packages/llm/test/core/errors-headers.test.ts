import { describe, expect, it } from "vitest";
import { classifyHttpFailure, inStreamError } from "../../src/errors/classify.ts";
import { rateLimitOf, retryAfterOf } from "../../src/errors/headers.ts";
import type { ProviderError } from "../../src/types/errors.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

function classify(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return classifyHttpFailure({ provider: "p", status, headers, body: text, now: NOW });
}

describe("headers", () => {
  it.each([
    [{ "retry-after": "7" }, 7],
    [{ "retry-after": "1.5" }, 1.5],
    [{ "retry-after-ms": "250" }, 0.25],
    [{ "retry-after": "Sun, 01 Mar 2026 12:00:30 GMT" }, 30],
    [{ "retry-after": "Sun, 01 Mar 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("ER-06 A-018 %o is %s seconds", (headers, expected) => {
    expect(retryAfterOf(headers as Record<string, string>, undefined, NOW)).toBe(expected);
  });

  it("ER-06 Google's RetryInfo counts as Retry-After", () => {
    const error = classify(429, {
      error: { status: "RESOURCE_EXHAUSTED", message: "m", details: [{ retryDelay: "12.5s" }] },
    });
    expect((error as ProviderError).retryAfter).toBe(12.5);
  });

  it.each([
    [
      "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 28554, Requested 3082. Please try again in 9.816s.",
      9.816,
    ],
    ["Rate limit reached for gpt-5 on requests per min. Please try again in 220ms. Visit the page.", 0.22],
    ["Rate limit reached on requests per day (RPD). Please try again in 7m12s.", 432],
    ["You exceeded the token rate limit of your tier. Please retry after 60 seconds.", 60],
    ["Please try again in a while, or retry after lunch.", undefined],
  ])("ER-06 a wait that stands only in the words counts: %s", (message, wait) => {
    const body = openai("rate_limit_exceeded", message);
    expect((classify(429, body) as ProviderError).retryAfter).toBe(wait);
    expect((inStreamError("p", body) as ProviderError).retryAfter).toBe(wait);
    expect((classify(429, body, { "retry-after": "3" }) as ProviderError).retryAfter).toBe(3);
  });

  it("DM-10 both vendors' rate limit headers give one shape", () => {
    const openaiHeaders = {
      "x-ratelimit-remaining-requests": "9",
      "x-ratelimit-limit-requests": "10",
      "x-ratelimit-remaining-tokens": "900",
      "x-ratelimit-limit-tokens": "1000",
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-reset-tokens": "6m0s",
    };
    const anthropicHeaders = {
      "anthropic-ratelimit-requests-remaining": "9",
      "anthropic-ratelimit-requests-limit": "10",
      "anthropic-ratelimit-tokens-remaining": "900",
      "anthropic-ratelimit-tokens-limit": "1000",
      "anthropic-ratelimit-requests-reset": "2026-03-01T12:00:01Z",
      "anthropic-ratelimit-tokens-reset": "2026-03-01T12:06:00Z",
    };
    const expected = {
      requestsRemaining: 9,
      requestsLimit: 10,
      tokensRemaining: 900,
      tokensLimit: 1000,
      resetAt: new Date("2026-03-01T12:06:00Z"),
    };
    expect(rateLimitOf(openaiHeaders, NOW)).toEqual(expected);
    expect(rateLimitOf(anthropicHeaders, NOW)).toEqual(expected);
  });

  it("DM-10 garbage headers leave fields out", () => {
    const headers = {
      "x-ratelimit-remaining-requests": "many",
      "x-ratelimit-reset-tokens": "later",
      "x-ratelimit-limit-tokens": "5",
    };
    expect(rateLimitOf(headers, NOW)).toEqual({ tokensLimit: 5 });
    expect(rateLimitOf({ "x-ratelimit-limit-tokens": "lots" }, NOW)).toBeUndefined();
  });
});

describe("secrets in errors", () => {
  it("ER-01 A-309 an error raised with a key does not contain it", () => {
    const error = classifyHttpFailure({
      provider: "p",
      status: 401,
      headers: {},
      body: JSON.stringify({ error: { message: "Incorrect API key provided: sk-test-9." } }),
      now: NOW,
      secrets: ["sk-test-9"],
    }) as ProviderError;
    expect(error.message).toBe("Incorrect API key provided: [redacted].");
    expect(JSON.stringify([error, error.raw, error.stack, String(error)])).not.toContain("sk-test-9");
  });
});

function openai(code: string | null, message: string) {
  return { error: { message, type: "invalid_request_error", param: null, code } };
}
