// What a broker and its clients exchange. A refresh token never leaves the broker: its place holds `HELD_BY_BROKER`.

import {
  choice,
  exactly,
  flag,
  integer,
  listOf,
  number,
  object,
  oneOf,
  optional,
  type Static,
  text,
} from "@lathe/llm/schema";
import { LAST_MOMENT } from "../../../platform/usage/moments.ts";

/** Stands where a refresh token would be. */
export const HELD_BY_BROKER = "held-by-broker";

/** Letters, digits, `_`, `.` and `-`: it becomes part of an address. */
const CREDENTIAL_ID = "^[A-Za-z0-9_.-]{1,128}$";

const apiKey = object({ type: exactly("api_key"), key: text() });
const token = object({
  type: exactly("oauth"),
  access: text(),
  refresh: optional(exactly(HELD_BY_BROKER)),
  /** Epoch milliseconds; absent: it does not end. */
  expires: optional(integer()),
});

const named = { provider: text(), id: text({ pattern: CREDENTIAL_ID }), name: text() };

export const brokerCredential = object({
  ...named,
  identity: optional(text()),
  /** The broker can have a new token without a person. */
  isRenewable: flag(),
  credential: oneOf(apiKey, token),
});
export type BrokerCredential = Static<typeof brokerCredential>;

/** One that cannot be used until somebody signs in again. It holds no secret. */
export const disabledCredential = object({
  ...named,
  type: choice(["api_key", "oauth"]),
  identity: optional(text()),
  cause: text(),
  /** Epoch milliseconds. */
  at: integer(),
});
export type DisabledCredential = Static<typeof disabledCredential>;

/** `GET /v1/snapshot`. */
export const snapshot = object({
  /** By the broker's clock, epoch milliseconds. */
  generatedAt: integer(),
  /** Grows by one with each change of a credential. */
  generation: integer(),
  credentials: listOf(brokerCredential),
  disabled: listOf(disabledCredential),
});
export type Snapshot = Static<typeof snapshot>;

/**
 * `GET /v1/snapshot/stream`: first an event `snapshot`, then one of the others for each change. The name of the SSE event is `kind`. A
 * credential that is disabled leaves by `disabled`; comments keep the connection alive.
 */
export const streamEvent = oneOf(
  object({ kind: exactly("snapshot"), snapshot }),
  object({ kind: exactly("changed"), generation: integer(), generatedAt: integer(), credential: brokerCredential }),
  object({ kind: exactly("disabled"), generation: integer(), generatedAt: integer(), credential: disabledCredential }),
  object({ kind: exactly("removed"), generation: integer(), generatedAt: integer(), ...named }),
);
export type StreamEvent = Static<typeof streamEvent>;

/** Epoch milliseconds from a client: they are shown as dates to others. */
const moment = integer({ minimum: 0, maximum: LAST_MOMENT });

/** `POST /v1/credential`: a new credential, or a newer one of the same provider and name. Answered by a `BrokerCredential`. */
export const newCredential = object({
  provider: text(),
  name: text(),
  identity: optional(text()),
  credential: oneOf(
    apiKey,
    object({ type: exactly("oauth"), access: text(), refresh: optional(text()), expires: optional(moment) }),
  ),
});
export type NewCredential = Static<typeof newCredential>;

/** `POST /v1/credential/:id/disable`. `POST /v1/credential/:id/refresh` has no body; both are answered by what has become of it. */
export const disableRequest = object({ cause: text() });

/** `POST /v1/credential/:id/report`: what a client has learnt from a vendor's answer. */
export const reportRequest = oneOf(
  object({ kind: exactly("limit"), until: moment, reason: text() }),
  object({
    kind: exactly("rate_limit"),
    windows: listOf(object({ name: text(), used: number(), resetsAt: optional(moment) })),
  }),
);
export type ReportRequest = Static<typeof reportRequest>;

const usageReport = object({
  at: integer(),
  windows: listOf(object({ name: text(), used: number(), resetsAt: optional(integer()) })),
});

/** `GET /v1/usage`: what is known of how much of each credential is left. */
export const usageReply = object({
  generatedAt: integer(),
  accounts: listOf(
    object({
      ...named,
      limit: optional(object({ until: integer(), reason: text() })),
      usage: optional(usageReport),
      rateLimit: optional(usageReport),
    }),
  ),
});
export type UsageReply = Static<typeof usageReply>;

/** Every refusal: `code` for programs, `message` for people. */
export const errorReply = object({ error: object({ code: text(), message: text() }) });
