// Reads the body of an answer as a whole.

import type { TransportResponse } from "../types/adapter.ts";
import { NetworkError, StreamError } from "../types/errors.ts";
import type { JsonValue } from "../types/json.ts";

/** `as it came`: a body that ends early is still used as far as it came. */
export async function readText(response: TransportResponse, limit: number, broken?: "as it came"): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > limit) break;
    }
  } catch (error) {
    if (broken === undefined || !(error instanceof NetworkError)) throw error;
  }
  return text + decoder.decode();
}

export function parseBody(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new StreamError("The answer is not JSON.", { cause });
  }
}
