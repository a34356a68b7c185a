// The REST API of one host, with the user's token if there is one. An error becomes one line that quotes the host.

import { ToolFailure } from "@lathe/agent";
import { oneLine } from "@lathe/agent/base";
import { fetchJson, type JsonAnswer, numberAt, textAt, valueAt, type WebGate } from "@lathe/agent/files";
import type { JsonObject, JsonValue } from "@lathe/llm";
import type { GitHost } from "./hosts.ts";
import { tokenAdvice } from "./tokens.ts";

export interface ApiRequest {
  readonly method?: "POST" | "PATCH" | "PUT" | undefined;
  readonly body?: JsonObject | undefined;
  readonly accept?: string | undefined;
  readonly maxBytes?: number | undefined;
}

const MOST_SAID = 300;

export class HostApi {
  readonly host: GitHost;
  readonly token: string | undefined;
  readonly #gate: WebGate;
  readonly #signal: AbortSignal;

  constructor(host: GitHost, token: string | undefined, gate: WebGate, signal: AbortSignal) {
    this.host = host;
    this.token = token;
    this.#gate = gate;
    this.#signal = signal;
  }

  async json(path: string, request: ApiRequest = {}): Promise<JsonValue> {
    const answer = await this.#ask(path, request);
    if (answer.value !== undefined) return answer.value;
    throw new ToolFailure(`${this.host.name} answered ${pathOnly(path)} with something other than JSON.`);
  }

  async text(path: string, request: ApiRequest = {}): Promise<string> {
    return (await this.#ask(path, request)).text;
  }

  async #ask(path: string, { method, body, accept, maxBytes }: ApiRequest): Promise<JsonAnswer> {
    const isHub = this.host.kind === "github";
    const headers = {
      accept: accept ?? (isHub ? "application/vnd.github+json" : "application/json"),
      ...(isHub ? { "x-github-api-version": "2022-11-28" } : {}),
      ...(this.token === undefined
        ? {}
        : isHub
          ? { authorization: `token ${this.token}` }
          : { "private-token": this.token }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const options = {
      headers,
      ...(method === undefined ? {} : { method }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
    };
    const answer = await fetchJson(this.#gate, `${this.host.api}${path}`, options, this.#signal);
    if (answer.status < 400) return answer;
    throw this.#failure(answer, `${method ?? "GET"} ${pathOnly(path)}`);
  }

  /** One line with the host's message and, if the token is missing or wrong, what the user can do. */
  #failure({ status, value, text }: JsonAnswer, request: string): ToolFailure {
    const said = (value === undefined ? plainText(text) : messageIn(value)).slice(0, MOST_SAID);
    const line = `${this.host.name} answered ${request} with status ${status}${said === "" ? "" : `: ${said}`}`;
    const advice = tokenAdvice(this.host);
    const more =
      status === 401 && this.token !== undefined
        ? ` The token was refused. ${advice}`
        : this.token === undefined && [401, 403, 404, 429].includes(status)
          ? ` The request had no token. ${advice}`
          : "";
    return new ToolFailure(`${line.replace(/\.?$/, ".")}${more}`, { status });
  }
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof ToolFailure ? numberAt(error.details, "status") : undefined;

export const isMissing = (error: unknown): boolean => statusOf(error) === 404;

/** Whether the same request may work in a moment. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ToolFailure && [429, 500, 502, 503, 504, undefined].includes(statusOf(error));

const pathOnly = (path: string): string => path.split("?")[0] ?? path;

/** GitHub sends `message` and `errors`, GitLab `message` (a text, or texts by field) or `error`. */
function messageIn(value: JsonValue): string {
  const message = valueAt(value, "message");
  const main = typeof message === "object" && message !== null ? JSON.stringify(message) : textAt(value, "message");
  const errors = valueAt(value, "errors");
  const causes = (Array.isArray(errors) ? errors : []).map((one) => {
    if (typeof one === "string") return one;
    return (
      textAt(one, "message") || [textAt(one, "resource"), textAt(one, "field"), textAt(one, "code")].join(" ").trim()
    );
  });
  const rest = [textAt(value, "error_description") || textAt(value, "error"), ...causes];
  return oneLine([main, ...rest].filter((part) => part !== "").join("; "));
}

const plainText = (text: string): string => (/^\s*</.test(text) ? "" : oneLine(text));
