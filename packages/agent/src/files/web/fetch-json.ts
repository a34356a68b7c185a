// Fetches JSON from a web API, through the gate and within limits.

import { type JsonValue, parseJson } from "@lathe/llm";
import { ToolFailure } from "../../contract/tool.ts";
import { type FetchedPage, type FetchOptions, fetchPage } from "./fetch-page.ts";
import type { WebGate } from "./gate/types.ts";

const LIMITS = { maxBytes: 5 << 20, maxRedirects: 5, timeoutMs: 30_000 };
const MOST_SHOWN = 300;

/** The answer of a web API. */
export interface JsonAnswer extends Omit<FetchedPage, "body"> {
  readonly text: string;
  /** Undefined if the text is not JSON, or incomplete. */
  readonly value: JsonValue | undefined;
}

/** Returns the answer whatever its status; `answerFailure` makes an error of it. */
export async function fetchJson(
  gate: WebGate,
  url: string,
  { headers, ...options }: Partial<FetchOptions>,
  signal: AbortSignal,
): Promise<JsonAnswer> {
  const own = { accept: "application/json", ...headers };
  const { body, ...page } = await fetchPage(gate, url, { ...LIMITS, ...options, headers: own }, signal);
  const text = body.toString("utf8");
  return { ...page, text, value: page.truncated ? undefined : parseJson(text) };
}

/** One line: the status, and the server's own message. */
export function answerFailure({ url, status, text, value }: JsonAnswer): ToolFailure {
  const said = value === undefined && /^\s*</.test(text) ? "" : text.replace(/\s+/g, " ").trim().slice(0, MOST_SHOWN);
  const { host } = new URL(url);
  if (status < 400) return new ToolFailure(`${host} answered with something other than JSON${said && `: ${said}`}`);
  return new ToolFailure(`${host} answered with status ${status}${said && `: ${said}`}`);
}
