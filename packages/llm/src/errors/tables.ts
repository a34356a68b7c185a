// The names that vendors give their failures. Data only: a new name is a new row.

export type Meaning =
  | "invalid"
  | "auth"
  | "access"
  | "notFound"
  | "timeout"
  | "overflow"
  | "rateLimit"
  | "server"
  | "filtered"
  | "quota"
  | "unknown";

export const STATUS_MEANINGS: Readonly<Record<number, Meaning>> = {
  400: "invalid",
  401: "auth",
  403: "access",
  404: "notFound",
  408: "timeout",
  413: "overflow",
  422: "invalid",
  429: "rateLimit",
};

/** `error.status` of Google bodies. */
export const GRPC_MEANINGS: Readonly<Record<string, Meaning>> = {
  NOT_FOUND: "notFound",
  INVALID_ARGUMENT: "invalid",
  FAILED_PRECONDITION: "invalid",
  OUT_OF_RANGE: "invalid",
  UNAUTHENTICATED: "auth",
  PERMISSION_DENIED: "access",
  RESOURCE_EXHAUSTED: "rateLimit",
  UNAVAILABLE: "server",
  INTERNAL: "server",
  DEADLINE_EXCEEDED: "timeout",
};

/** Bedrock exception names, without the suffix `Exception` and in lower case. */
export const AWS_MEANINGS: Readonly<Record<string, Meaning>> = {
  throttling: "rateLimit",
  toomanyrequests: "rateLimit",
  validation: "invalid",
  internalserver: "server",
  serviceunavailable: "server",
  modelstreamerror: "server",
  modelnotready: "server",
  modelerror: "server",
  modeltimeout: "timeout",
  accessdenied: "access",
  unrecognizedclient: "auth",
  invalidsignature: "auth",
  expiredtoken: "auth",
  missingauthenticationtoken: "auth",
  resourcenotfound: "notFound",
  servicequotaexceeded: "quota",
};

/** `error.type` and `error.code` words of Anthropic, OpenAI and compatible servers. */
export const CODE_MEANINGS: Readonly<Record<string, Meaning>> = {
  invalid_request_error: "invalid",
  invalid_prompt: "invalid",
  invalid_encrypted_content: "invalid",
  authentication_error: "auth",
  invalid_api_key: "auth",
  permission_error: "access",
  not_found_error: "notFound",
  model_not_found: "notFound",
  request_too_large: "overflow",
  context_length_exceeded: "overflow",
  rate_limit_error: "rateLimit",
  rate_limit_exceeded: "rateLimit",
  billing_error: "quota",
  insufficient_quota: "quota",
  api_error: "server",
  server_error: "server",
  overloaded_error: "server",
  timeout_error: "server",
  server_is_overloaded: "server",
  slow_down: "server",
  content_filter: "filtered",
  content_policy_violation: "filtered",
};

/** Words in the message, for statuses and codes that say little. The first match wins. */
export const WORDINGS: readonly (readonly [Meaning, RegExp])[] = [
  [
    "overflow",
    /context length|context_length_exceeded|context (window|size|limit)|too many tokens|(prompt|input) is too long/i,
  ],
  [
    "overflow",
    /maximum prompt length|token count .*exceeds|exceed\w* .*token limit|reduce the length of the messages/i,
  ],
  ["overflow", /exceeds? (the )?max(imum)? (allowed )?(input )?length|range of input length|`inputs` tokens/i],
  ["filtered", /content filter|content_filter|safety|violating our usage policy/i],
  ["notFound", /not found|does not exist/i],
  ["auth", /unauthorized|invalid key|invalid api key|api key not valid/i],
];

/** Problems that waiting will not fix. */
export const BILLING =
  /insufficient_quota|billing|credit balance|exceeded your current quota|insufficient (balance|credit|fund)|more credits|your specified api usage limits|extra usage is required|monthly (spending limit|included credits)/i;

/** This single request exceeds the limit for a whole minute: waiting does not help, only a shorter request does. */
export const LARGER_THAN_LIMIT = /request too large for /i;

/** "Please try again in 9.816s", "retry after 60 seconds": for servers that cannot set a header. */
export const WAIT_WORDS =
  /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|[hms]))+|\d+(?:\.\d+)?(?= seconds?))/i;

/** Refusals because the vendor cannot enforce a tool's arguments. */
export const ENFORCEMENT_REFUSED =
  /\bstrict\b|grammar|schemas? (is|are) too complex|too many optional parameters|structured[ _-]?outputs?|invalid schema for function|invalid_function_parameters/i;
