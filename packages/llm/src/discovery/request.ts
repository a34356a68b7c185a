// One JSON question to a server that may not exist.

import type { Transport } from "../types/adapter.ts";
import type { JsonValue } from "../types/json.ts";

/** The parsed JSON of a 200 answer, otherwise undefined. */
export type Ask = (url: string, body?: JsonValue) => Promise<JsonValue | undefined>;

const maxBytes = 8 * 1024 * 1024;

export function jsonOverHttp(fetch: Transport, signal: AbortSignal, key: string | undefined): Ask {
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    ...(key ? { authorization: `Bearer ${key}` } : {}),
  };
  return async (url, body) => {
    try {
      const response = await fetch({
        url,
        method: body === undefined ? "GET" : "POST",
        headers,
        signal,
        ...(body === undefined ? {} : { body: [JSON.stringify(body)] }),
      });
      const decoder = new TextDecoder();
      let text = "";
      for await (const chunk of response.body) {
        text += decoder.decode(chunk, { stream: true });
        if (text.length > maxBytes) return undefined;
      }
      return response.status === 200 ? (JSON.parse(text) as JsonValue) : undefined;
    } catch {
      // A server that is missing, too slow, or sends no JSON offers nothing.
      return undefined;
    }
  };
}
