import { describe, expect, it } from "vitest";
import { classifyHttpFailure, inStreamError } from "../../src/errors/classify.ts";
import { AbortError, ConfigurationError, NetworkError, ProviderError, StreamError } from "../../src/types/errors.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

function classify(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return classifyHttpFailure({ provider: "p", status, headers, body: text, now: NOW });
}

const BODIES: Readonly<Record<string, (message: string) => unknown>> = {
  anthropic: (message) => ({ type: "error", error: { type: "some_error", message } }),
  openai: (message) => ({ error: { message, type: "some_error", code: null, param: null } }),
  gemini: (message) => ({ error: { code: 0, message, status: "" } }),
  bedrock: (message) => ({ message }),
};

const STATUS_TABLE: readonly (readonly [number, string, boolean])[] = [
  [400, "InvalidRequestError", false],
  [401, "AuthenticationError", false],
  [403, "AccessDeniedError", false],
  [404, "NotFoundError", false],
  [408, "RequestTimeoutError", false],
  [413, "ContextLengthError", false],
  [422, "InvalidRequestError", false],
  [429, "RateLimitError", true],
  [500, "ServerError", true],
  [502, "ServerError", true],
  [503, "ServerError", true],
  [529, "ServerError", true],
  [599, "ServerError", true],
  [402, "ProviderError", true],
  [418, "ProviderError", true],
];

describe("status mapping", () => {
  for (const [dialect, body] of Object.entries(BODIES))
    it.each(STATUS_TABLE)(`ER-02 A-017 A-063 ${dialect} %i is %s`, (status, name, retryable) => {
      const error = classify(status, body("it went wrong"), { "x-request-id": "req_1" });
      expect([error.name, error.retryable, error.message]).toEqual([name, retryable, "it went wrong"]);
      if (error instanceof ProviderError) expect([error.statusCode, error.requestId]).toEqual([status, "req_1"]);
    });

  it.each([
    ["NOT_FOUND", 400, "NotFoundError"],
    ["INVALID_ARGUMENT", 500, "InvalidRequestError"],
    ["UNAUTHENTICATED", 400, "AuthenticationError"],
    ["PERMISSION_DENIED", 400, "AccessDeniedError"],
    ["RESOURCE_EXHAUSTED", 400, "RateLimitError"],
    ["UNAVAILABLE", 400, "ServerError"],
    ["INTERNAL", 400, "ServerError"],
    ["DEADLINE_EXCEEDED", 504, "RequestTimeoutError"],
  ])("ER-02 A-063 gRPC %s outranks status %i", (status, http, name) => {
    expect(classify(http, { error: { code: http, message: "m", status } }).name).toBe(name);
  });

  it.each([
    ["throttlingException", "RateLimitError", true],
    ["validationException", "InvalidRequestError", false],
    ["internalServerException", "ServerError", true],
    ["serviceUnavailableException", "ServerError", true],
    ["modelStreamErrorException", "ServerError", true],
    ["accessDeniedException", "AccessDeniedError", false],
  ])("ER-02 Bedrock %s, as frame and as header", (exception, name, retryable) => {
    const inStream = inStreamError("bedrock", { message: "m" }, exception);
    expect([inStream.name, inStream.retryable]).toEqual([name, retryable]);
    const capital = exception[0]?.toUpperCase() + exception.slice(1);
    const type = { "x-amzn-errortype": `${capital}:http://internal.amazon.com/` };
    expect(classify(400, { message: "m" }, type).name).toBe(name);
  });

  it("ER-01 A-064 classes without a status have their fixed flag", () => {
    expect(new NetworkError("x").retryable).toBe(true);
    expect(new StreamError("x").retryable).toBe(true);
    expect(new AbortError("x").retryable).toBe(false);
    expect(new ConfigurationError("x").retryable).toBe(false);
  });
});

const RECORDED: readonly (readonly [string, number, unknown, string])[] = [
  [
    "anthropic prompt too long",
    400,
    anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    "ContextLengthError",
  ],
  [
    "anthropic too large",
    413,
    anthropic("request_too_large", "Request exceeds the maximum size"),
    "ContextLengthError",
  ],
  ["anthropic overloaded", 529, anthropic("overloaded_error", "Overloaded"), "ServerError"],
  ["anthropic key", 401, anthropic("authentication_error", "invalid x-api-key"), "AuthenticationError"],
  ["anthropic model", 404, anthropic("not_found_error", "model: nope"), "NotFoundError"],
  ["anthropic rate", 429, anthropic("rate_limit_error", "This request would exceed your rate limit"), "RateLimitError"],
  [
    "openai context",
    400,
    openai("context_length_exceeded", "This model's maximum context length is 8192 tokens"),
    "ContextLengthError",
  ],
  [
    "openai quota",
    429,
    openai("insufficient_quota", "You exceeded your current quota, please check your plan and billing details."),
    "QuotaExceededError",
  ],
  ["openai rate", 429, openai("rate_limit_exceeded", "Rate limit reached for gpt-5"), "RateLimitError"],
  ["openai model", 404, openai("model_not_found", "The model `nope` does not exist"), "NotFoundError"],
  ["openai model as 400", 400, openai(null, "The model `nope` does not exist"), "NotFoundError"],
  ["openai content filter", 400, openai("content_filter", "The response was filtered"), "ContentFilterError"],
  ["openai key", 401, openai("invalid_api_key", "Incorrect API key provided"), "AuthenticationError"],
  ["safety in a 500 stays a server error", 500, openai(null, "internal safety service crashed"), "ServerError"],
  ...[
    "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
    "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
    "Requested token count exceeds the model's maximum context length of 131072 tokens.",
    "Multimodal prompt is too long after expanding multimodal tokens.",
  ].map(
    (message) =>
      [
        `sglang: ${message}`,
        400,
        { object: "error", message, type: "BadRequestError", param: null, code: 400 },
        "ContextLengthError",
      ] as const,
  ),
  ["gemini key as 400", 400, google(400, "INVALID_ARGUMENT", "API key not valid. Unauthorized"), "AuthenticationError"],
  ["gemini tokens", 400, google(400, "INVALID_ARGUMENT", "The input has too many tokens"), "ContextLengthError"],
  [
    "gemini exhausted with RetryInfo",
    429,
    {
      error: {
        code: 429,
        status: "RESOURCE_EXHAUSTED",
        message: "check your plan and billing",
        details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "12s" }],
      },
    },
    "RateLimitError",
  ],
  [
    "gemini exhausted for good",
    429,
    google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details"),
    "QuotaExceededError",
  ],
  ["a proxy's page", 502, `<html>${"x".repeat(2000)}</html>`, "ServerError"],
  ["bedrock too long", 400, { message: "Input is too long for requested model." }, "ContextLengthError"],
  ["openai window", 400, openai(null, "Your input exceeds the context window of this model"), "ContextLengthError"],
  [
    "anthropic with its output",
    400,
    anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"),
    "ContextLengthError",
  ],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        type: "exceed_context_size_error",
        message: "the request exceeds the available context size",
      },
    },
    "ContextLengthError",
  ],
  ["xai", 400, openai(null, "This model's maximum prompt length is 131072 but 140000 came"), "ContextLengthError"],
  ["groq", 400, openai(null, "Please reduce the length of the messages or completion."), "ContextLengthError"],
  ["kimi", 400, openai(null, "Your request exceeded model token limit: 262144"), "ContextLengthError"],
  [
    "an output limit is no overflow",
    400,
    anthropic("invalid_request_error", "max_tokens: 99999 > 64000, the maximum allowed number of output tokens"),
    "InvalidRequestError",
  ],
  [
    "anthropic without credit",
    400,
    anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    "QuotaExceededError",
  ],
  ["deepseek without credit", 402, openai(null, "Insufficient Balance"), "QuotaExceededError"],
  [
    "anthropic spend limit",
    400,
    anthropic(
      "invalid_request_error",
      "You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.",
    ),
    "QuotaExceededError",
  ],
  [
    "anthropic plan without long context",
    429,
    anthropic("rate_limit_error", "Extra usage is required for long context requests."),
    "QuotaExceededError",
  ],
  [
    "openai flagged prompt",
    400,
    openai(
      "invalid_prompt",
      "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.",
    ),
    "ContentFilterError",
  ],
  ["glm", 400, { error: { code: "1261", message: "Prompt exceeds max length" } }, "ContextLengthError"],
  [
    "qwen",
    400,
    openai(
      "invalid_parameter_error",
      "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
    ),
    "ContextLengthError",
  ],
  [
    "groq above the minute",
    413,
    openai(
      "rate_limit_exceeded",
      "Request too large for model `llama-3.3-70b` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 15000",
    ),
    "ContextLengthError",
  ],
  ["openrouter without credit", 402, openai(null, "This request requires more credits"), "QuotaExceededError"],
];

describe("body classification", () => {
  it.each(RECORDED)("ER-03 %s", (_, status, body, name) => {
    expect(classify(status, body).name).toBe(name);
  });

  it("ER-03 a page in place of JSON is cut in the message and bounded in raw", () => {
    const error = classify(502, `<html>${"x".repeat(200_000)}</html>`) as ProviderError;
    expect(error.message).toMatch(/^The server answered with a web page \("x{120}…"\): /);
    expect(JSON.stringify(error.raw).length).toBeLessThan(70_000);
  });

  it("ER-03 what a gateway hides behind its own words is reported and classified", () => {
    const raw = '{"error":{"message":"maximum context length is 8192 tokens"}}';
    const error = classify(400, { error: { code: 400, message: "Provider returned error", metadata: { raw } } });
    expect(error.name).toBe("ContextLengthError");
    expect(error.message).toBe(`Provider returned error: ${raw}`);
    const long = { error: { code: 400, message: "Provider returned error", metadata: { raw: "x".repeat(9000) } } };
    expect(classify(400, long).message.length).toBeLessThan(600);
  });

  it.each([
    ["http", classify(429, tooLarge())],
    ["stream", inStreamError("p", tooLarge())],
  ])(
    "ER-03 a single request above the limit of a minute is an overflow, not something to wait for (%s)",
    (_, error) => {
      expect([error.name, error.kind, error.retryable]).toEqual(["ContextLengthError", "overflow", false]);
    },
  );

  it.each([
    [{ detail: "Model is loading" }, "Model is loading"],
    [
      { detail: [{ loc: ["body", "messages"], msg: "Field required" }] },
      '[{"loc":["body","messages"],"msg":"Field required"}]',
    ],
    [{ error: { type: "odd", reason: "no slot" } }, '{"type":"odd","reason":"no slot"}'],
    [{ error: ["overloaded", "later"] }, '["overloaded","later"]'],
    [{}, "HTTP 422"],
    ["", "HTTP 422"],
  ])("ER-03 a body of another shape is shown rather than nothing: %j", (body, message) => {
    expect(classify(422, body).message).toBe(message);
  });

  it("ER-03 keeps code and whole body", () => {
    const body = openai("rate_limit_exceeded", "slow down");
    const error = classify(429, body) as ProviderError;
    expect([error.errorCode, error.raw]).toEqual(["rate_limit_exceeded", body]);
  });

  it.each([
    ["overloaded_error", anthropic("overloaded_error", "safety first: Overloaded"), "ServerError", true],
    ["a refusal", { error: { message: "blocked by the content filter" } }, "ContentFilterError", false],
    ["a numeric code", { error: { code: 502, message: "bad gateway" } }, "ServerError", true],
    ["a Responses error", { type: "error", code: "rate_limit_exceeded", message: "slow" }, "RateLimitError", true],
    ["an overflow", { error: { code: "context_length_exceeded", message: "too long" } }, "ContextLengthError", false],
    [
      "thoughts of another account",
      { error: { code: "invalid_encrypted_content", message: "The encrypted content gAAA could not be verified." } },
      "InvalidRequestError",
      false,
    ],
    ["no credit", { error: { code: 402, message: "Insufficient credits" } }, "QuotaExceededError", false],
    ["nothing known", { error: { message: "hm" } }, "ProviderError", true],
  ])("ER-04 in a stream: %s", (_, body, name, retryable) => {
    const error = inStreamError("p", body);
    expect([error.name, error.retryable]).toEqual([name, retryable]);
  });
});

it.each(["constructor", "toString", "__proto__", "valueOfException", "constructorException"])(
  "ER-02 an error that a server calls %s is a provider's error like any other",
  (name) => {
    const body = { error: { type: name, code: name, status: name, message: "x" } };
    expect(inStreamError("p", body)).toBeInstanceOf(ProviderError);
    expect(inStreamError("p", body, name)).toBeInstanceOf(ProviderError);
  },
);

function tooLarge() {
  const message =
    "Request too large for gpt-5.1 in organization org-1 on tokens per min (TPM): Limit 30000, Requested 37313. The input or output tokens must be reduced in order to run successfully.";
  return { error: { message, type: "tokens", param: null, code: "rate_limit_exceeded" } };
}
function anthropic(type: string, message: string) {
  return { type: "error", error: { type, message } };
}
function openai(code: string | null, message: string) {
  return { error: { message, type: "invalid_request_error", param: null, code } };
}
function google(code: number, status: string, message: string) {
  return { error: { code, message, status } };
}
