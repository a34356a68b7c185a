// Small JSON and text exchanges with credential services, over the injected transport.

import type { Transport, TransportRequest } from "../types/adapter.ts";
import { StreamError } from "../types/errors.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

const maxAnswer = 1024 * 1024;

interface TextAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export async function fetchText(transport: Transport, request: TransportRequest): Promise<TextAnswer> {
  const response = await transport(request);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxAnswer) throw new StreamError(`the answer of ${new URL(request.url).host} is too long`);
  }
  return { status: response.status, headers: response.headers, text: text + decoder.decode() };
}

/** Undefined when the text is not a JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
