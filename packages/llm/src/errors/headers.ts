// What response headers add to the body: when to retry, how much quota is left, the request's id.

import { isJsonObject, type JsonValue } from "../types/json.ts";
import type { RateLimitInfo } from "../types/response.ts";

/** Header names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string>>;

const REQUEST_ID_HEADERS = ["request-id", "x-request-id", "x-amzn-requestid", "apim-request-id", "x-goog-request-id"];

/** The vendor's id of a request, for its support team. */
export function requestIdOf(headers: ResponseHeaders): string | undefined {
  for (const name of REQUEST_ID_HEADERS) if (headers[name]) return headers[name];
  return undefined;
}

/** Seconds to wait, from `retry-after-ms`, `retry-after` (seconds or date) or Google's RetryInfo in the body. */
export function retryAfterOf(headers: ResponseHeaders, body: JsonValue | undefined, now: number): number | undefined {
  const ms = number(headers["retry-after-ms"]);
  if (ms !== undefined) return Math.max(0, ms / 1000);
  const header = headers["retry-after"]?.trim();
  if (header) {
    const seconds = number(header);
    if (seconds !== undefined) return Math.max(0, seconds);
    const date = Date.parse(header);
    if (!Number.isNaN(date)) return Math.max(0, (date - now) / 1000);
  }
  return retryInfoOf(body);
}

/** Finds `details: [{"@type": ".../google.rpc.RetryInfo", retryDelay: "12s"}]`, at any depth. */
export function retryInfoOf(body: JsonValue | undefined): number | undefined {
  for (const entry of Array.isArray(body) ? body : [body]) {
    const details = field(field(entry, "error"), "details");
    if (!Array.isArray(details)) continue;
    for (const detail of details) {
      const delay = field(detail, "retryDelay");
      if (typeof delay === "string") return seconds(delay);
    }
  }
  return undefined;
}

/**
 * OpenAI's `x-ratelimit-*` and Anthropic's `anthropic-ratelimit-*` in one form. Of two resets the later one is used.
 */
export function rateLimitOf(headers: ResponseHeaders, now: number): RateLimitInfo | undefined {
  const read = (what: string, which: string) =>
    headers[`x-ratelimit-${which}-${what}`] ?? headers[`anthropic-ratelimit-${what}-${which}`];
  const counts = {
    requestsRemaining: number(read("requests", "remaining")),
    requestsLimit: number(read("requests", "limit")),
    tokensRemaining: number(read("tokens", "remaining")),
    tokensLimit: number(read("tokens", "limit")),
  };
  const resets = [read("requests", "reset"), read("tokens", "reset")]
    .map((value) => resetTime(value, now))
    .filter((time) => time !== undefined);
  const info: Record<string, number | Date> = {};
  for (const [name, value] of Object.entries(counts)) if (value !== undefined) info[name] = value;
  if (resets.length > 0) info["resetAt"] = new Date(Math.max(...resets));
  return Object.keys(info).length === 0 ? undefined : (info as RateLimitInfo);
}

function resetTime(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const duration = seconds(value);
  if (duration !== undefined) return now + duration * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 };

/** Parses `12s`, `6m0s`, `1h2m`, `250ms`, or a bare number of seconds. */
export function seconds(text: string): number | undefined {
  const bare = number(text);
  if (bare !== undefined) return bare;
  if (!/^(\d+(\.\d+)?(ms|[hms]))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[hms])/g))
    total += Number(amount) * (UNIT_SECONDS[unit ?? ""] ?? 0);
  return total;
}

function number(text: string | undefined): number | undefined {
  if (text === undefined || !/^-?\d+(\.\d+)?$/.test(text.trim())) return undefined;
  return Number(text);
}

export function field(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
