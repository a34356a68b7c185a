// Settings of the gateway: limits for the vendors' accounts, shared by all client keys.

import { integer, mapOf, number, type Schema } from "@lathe/llm/schema";
import { NAMED_NUMBERS } from "./setting-kinds.ts";

export const GATEWAY_SETTINGS = {
  "gateway.requestsPerMinute": mapOf(number({ minimum: 1 }), {
    expects: NAMED_NUMBERS,
    default: {},
    description:
      "requests per minute that the gateway sends to a provider, by provider; without an entry, the limit that the provider states in its answers",
  }),
  "gateway.tokensPerMinute": mapOf(number({ minimum: 1 }), {
    expects: NAMED_NUMBERS,
    default: {},
    description:
      "tokens per minute that requests of the gateway may use at a provider, by provider; without an entry, the limit that the provider states in its answers",
  }),
  "gateway.maxWaitMs": integer({
    minimum: 1,
    default: 60_000,
    description: "longest time that a request waits at the gateway for its share of an account, in milliseconds",
  }),
} as const satisfies Record<string, Schema>;
