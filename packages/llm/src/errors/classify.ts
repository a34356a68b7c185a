// Turns every vendor failure into an SDKError, here and nowhere else (ER-02..ER-04): from an HTTP answer or from an
// error object inside a stream.

import type { ProviderErrorOptions } from "../types/errors.ts";
import {
  AccessDeniedError,
  AuthenticationError,
  ContentFilterError,
  ContextLengthError,
  InvalidRequestError,
  NotFoundError,
  ProviderError,
  QuotaExceededError,
  RateLimitError,
  RequestTimeoutError,
  type SDKError,
  ServerError,
} from "../types/errors.ts";
import { type JsonValue, parseJson } from "../types/json.ts";
import { own } from "../types/own.ts";
import { field, type ResponseHeaders, requestIdOf, retryAfterOf, retryInfoOf, seconds } from "./headers.ts";
import {
  AWS_MEANINGS,
  BILLING,
  CODE_MEANINGS,
  ENFORCEMENT_REFUSED,
  GRPC_MEANINGS,
  LARGER_THAN_LIMIT,
  type Meaning,
  STATUS_MEANINGS,
  WAIT_WORDS,
  WORDINGS,
} from "./tables.ts";

const MAX_RAW = 64 * 1024;
const MAX_PLAIN_MESSAGE = 500;
const MOST_OF_PAGE = 120;

/** An HTTP answer outside 2xx. */
export interface HttpFailure {
  readonly provider: string;
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: string;
  readonly now: number;
  /** Texts that must not appear in the error. */
  readonly secrets?: readonly string[] | undefined;
}

/** The error for an HTTP answer outside 2xx. */
export function classifyHttpFailure(failure: HttpFailure): SDKError {
  const text = redact(failure.body.slice(0, MAX_RAW), failure.secrets ?? []);
  const body = parseJson(text);
  const location = failure.status >= 300 && failure.status < 400 ? failure.headers["location"] : undefined;
  const facts = location === undefined ? readFacts(body ?? text) : { message: pointsElsewhere(location) };
  const awsType = failure.headers["x-amzn-errortype"];
  const name = awsType ?? facts.name;
  const retryAfter = retryAfterOf(failure.headers, body, failure.now) ?? saidWait(facts.message);
  const requestId = requestIdOf(failure.headers);
  const meaning = meaningOfHttp(failure.status, { ...facts, name }, retryInfoOf(body) !== undefined);
  return construct(meaning, facts.message || `HTTP ${failure.status}`, {
    provider: failure.provider,
    statusCode: failure.status,
    ...(facts.code === undefined ? {} : { errorCode: facts.code }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(location === undefined ? {} : { retryable: false }),
    raw: body ?? text,
  });
}

/**
 * We do not follow redirects, because keys must not be sent to another address. The address is shown without its query,
 * which may contain the key.
 */
function pointsElsewhere(location: string): string {
  const place = location.replace(/[?#].*$/s, "").slice(0, MAX_PLAIN_MESSAGE);
  return `The server redirects to ${place} instead of answering; set the base URL to where the API is.`;
}

/** An error object inside a stream with status 200. `code` outranks the body (Bedrock exception names). */
export function inStreamError(provider: string, body: JsonValue, code?: string): SDKError {
  const facts = readFacts(body);
  const errorCode = code ?? facts.code;
  const retryInfo = retryInfoOf(body);
  const retryAfter = retryInfo ?? saidWait(facts.message);
  const meaning = meaningInStream(
    { message: facts.message, code: errorCode, name: code ?? facts.name },
    retryInfo !== undefined,
  );
  const suffix = errorCode === undefined ? "" : ` (${errorCode})`;
  return construct(meaning, facts.message || `The stream ended with an error${suffix}.`, {
    provider,
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    raw: body,
  });
}

/** Removes secrets from errors built by decoders, which do not know them. */
export function redactError<E extends SDKError>(error: E, secrets: readonly string[]): E {
  const raw = error instanceof ProviderError && error.raw !== undefined ? JSON.stringify(error.raw) : "";
  if (!secrets.some((secret) => error.message.includes(secret) || raw.includes(secret))) return error;
  const clean: { message: string; stack: string; raw?: JsonValue } = {
    message: redact(error.message, secrets),
    stack: redact(error.stack ?? "", secrets),
  };
  if (raw !== "") clean.raw = parseJson(redact(raw, secrets)) ?? "";
  return Object.assign(error, clean);
}

/**
 * Replaces every occurrence. Texts under four characters are not secrets, and removing them would make the message
 * unreadable.
 */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, "[redacted]");
  return clean;
}

interface Facts {
  readonly message: string;
  readonly code?: string | undefined;
  /** The gRPC or AWS name. */
  readonly name?: string | undefined;
}

/**
 * Reads `{error: {message, code, type, status}}`, Google's one-element list, AWS's `{message, __type}`, `{error:
 * "text"}`.
 */
function readFacts(body: JsonValue): Facts {
  const root = Array.isArray(body) ? (body[0] ?? "") : body;
  if (typeof root === "string") return { message: (wordsOfPage(root) ?? root.trim()).slice(0, MAX_PLAIN_MESSAGE) };
  const inner = field(root, "error") ?? field(field(root, "response"), "error") ?? root;
  if (typeof inner === "string") return { message: inner };
  const ownMessage = text(field(inner, "message")) ?? text(field(root, "message")) ?? text(field(inner, "Message"));
  const said = ownMessage ?? bodyText(field(root, "detail") ?? inner);
  // A gateway's own message only says that the model's host refused; the reason is in another field.
  const hidden = text(field(field(inner, "metadata"), "raw"));
  const message = hidden === undefined ? said : `${said}: ${hidden.slice(0, MAX_PLAIN_MESSAGE)}`;
  const type = text(field(inner, "type"));
  const code = scalar(field(inner, "code")) ?? (type === "error" ? undefined : type);
  return { message, code, name: text(field(inner, "status")) ?? text(field(root, "__type")) };
}

/** For a web page, such as a proxy's: its title, or the first visible words. The rest adds nothing. */
function wordsOfPage(page: string): string | undefined {
  if (!/^\s*<(?:!|\?|[a-z])/i.test(page)) return undefined;
  const title = /<title>([^<]{1,200})<\/title>/i.exec(page)?.[1];
  const shown = title?.trim()
    ? title
    : page.replace(/<(style|script)\b[\s\S]*?(?:<\/\1>|$)/gi, " ").replace(/<[^>]*(?:>|$)/g, " ");
  const words = shown.replace(/\s+/g, " ").trim();
  const cut = words.length > MOST_OF_PAGE ? `${words.slice(0, MOST_OF_PAGE)}…` : words;
  return `The server answered with a web page${cut === "" ? "" : ` ("${cut}")`}: a proxy or gateway in between, or a wrong base URL.`;
}

/** For a body whose message is in an unknown field: the whole body, cut to a limit. */
function bodyText(body: JsonValue): string {
  const plain = typeof body === "string" ? body : JSON.stringify(body);
  return plain === "{}" || plain === "null" ? "" : plain.slice(0, MAX_PLAIN_MESSAGE);
}

function meaningOfHttp(status: number, facts: Facts, hasRetryInfo: boolean): Meaning {
  const byStatus = STATUS_MEANINGS[status] ?? (status >= 500 && status < 600 ? "server" : "unknown");
  const meaning = namedMeaning(facts.name) ?? byStatus;
  const vague = [400, 413, 422].includes(status) || byStatus === "unknown";
  if (meaning === "rateLimit" && LARGER_THAN_LIMIT.test(facts.message)) return "overflow";
  if ((meaning === "rateLimit" || vague) && !hasRetryInfo && saysBilling(facts)) return "quota";
  return vague ? (wordedMeaning(facts) ?? meaning) : meaning;
}

function meaningInStream(facts: Facts, hasRetryInfo: boolean): Meaning {
  const byCode = facts.code === undefined ? undefined : codeMeaning(facts.code);
  const meaning = namedMeaning(facts.name) ?? byCode ?? "unknown";
  const vague = meaning === "invalid" || meaning === "unknown";
  if (meaning === "rateLimit" && LARGER_THAN_LIMIT.test(facts.message)) return "overflow";
  if ((meaning === "rateLimit" || vague) && !hasRetryInfo && saysBilling(facts)) return "quota";
  return vague ? (wordedMeaning(facts) ?? meaning) : meaning;
}

function codeMeaning(code: string): Meaning | undefined {
  const status = Number(code);
  if (Number.isInteger(status)) return STATUS_MEANINGS[status] ?? (status >= 500 ? "server" : undefined);
  return own(CODE_MEANINGS, code);
}

/** AWS writes `ValidationException:http://…` in the header, `com.x#ValidationException` in bodies. */
function namedMeaning(name: string | undefined): Meaning | undefined {
  if (name === undefined) return undefined;
  const grpc = own(GRPC_MEANINGS, name);
  if (grpc !== undefined) return grpc;
  const bare = (name.split(":")[0]?.split("#").at(-1) ?? "").toLowerCase();
  return bare.endsWith("exception") ? own(AWS_MEANINGS, bare.slice(0, -"exception".length)) : undefined;
}

function wordedMeaning(facts: Facts): Meaning | undefined {
  const wording = `${facts.message}\n${facts.code ?? ""}`;
  return WORDINGS.find(([, pattern]) => pattern.test(wording))?.[0];
}

/** The wait in seconds. */
function saidWait(message: string): number | undefined {
  const wait = WAIT_WORDS.exec(message)?.[1];
  return wait === undefined ? undefined : seconds(wait);
}

/** True if the vendor refused to enforce tool arguments: without enforcement the same request may succeed. */
export function refusesEnforcement(error: unknown): boolean {
  if (!(error instanceof InvalidRequestError || error instanceof AccessDeniedError)) return false;
  return ENFORCEMENT_REFUSED.test(`${error.message}\n${error.errorCode ?? ""}`);
}

function saysBilling(facts: Facts): boolean {
  return BILLING.test(`${facts.message}\n${facts.code ?? ""}`);
}

type ProviderErrorClass = new (message: string, options: ProviderErrorOptions) => ProviderError;
const CLASSES: Readonly<Record<Exclude<Meaning, "timeout">, ProviderErrorClass>> = {
  invalid: InvalidRequestError,
  auth: AuthenticationError,
  access: AccessDeniedError,
  notFound: NotFoundError,
  overflow: ContextLengthError,
  rateLimit: RateLimitError,
  server: ServerError,
  filtered: ContentFilterError,
  quota: QuotaExceededError,
  unknown: ProviderError,
};

function construct(meaning: Meaning, message: string, options: ProviderErrorOptions): SDKError {
  if (meaning !== "timeout") return new CLASSES[meaning](message, options);
  const { provider, statusCode } = options;
  return new RequestTimeoutError(message, {
    phase: "server",
    provider,
    ...(statusCode === undefined ? {} : { statusCode }),
  });
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function scalar(value: JsonValue | undefined): string | undefined {
  return typeof value === "number" ? String(value) : text(value);
}
