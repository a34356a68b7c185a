// Small JSON and text exchanges with credential services, over the injected transport.

import type { ClientDeps, TransportRequest } from "../types/adapter.ts";
import { NetworkError, StreamError } from "../types/errors.ts";
import { isJsonObject, type JsonObject, parseJson } from "../types/json.ts";

const maxAnswer = 1024 * 1024;
/** All requests of a provider wait for one exchange, so an endless one would block them all. */
const usualLimitMs = 30_000;

interface TextAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export async function fetchText(
  { fetch, setTimer }: Pick<ClientDeps, "fetch" | "setTimer">,
  request: TransportRequest,
  limitMs: number = usualLimitMs,
): Promise<TextAnswer> {
  const controller = new AbortController();
  const timer = setTimer(() => controller.abort(), limitMs);
  const { host } = new URL(request.url);
  try {
    const response = await fetch({ ...request, once: true, signal: controller.signal });
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of response.body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > maxAnswer) throw new StreamError(`the answer of ${host} is too long`);
    }
    return { status: response.status, headers: response.headers, text: text + decoder.decode() };
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    throw new NetworkError(`${host} returned no credentials within ${limitMs / 1000} s`, { cause: error });
  } finally {
    timer.cancel();
  }
}

/** Undefined if the text is not a JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}
