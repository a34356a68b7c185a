// The messages between a broker and its clients. A refresh token never leaves the broker: `HELD_BY_BROKER` takes its
// place.

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

/** Sent in place of a refresh token. */
export const HELD_BY_BROKER = "held-by-broker";

/** Letters, digits, `_`, `.` and `-`, because the id becomes part of a URL. */
const CREDENTIAL_ID = "^[A-Za-z0-9_.-]{1,128}$";

const apiKey = object({ type: exactly("api_key"), key: text() });
const token = object({
  type: exactly("oauth"),
  access: text(),
  refresh: optional(exactly(HELD_BY_BROKER)),
  /** Epoch milliseconds; absent if it does not expire. */
  expires: optional(integer()),
});

const named = { provider: text(), id: text({ pattern: CREDENTIAL_ID }), name: text() };

export const brokerCredential = object({
  ...named,
  identity: optional(text()),
  /** Whether the broker can get a new token without the user. */
  isRenewable: flag(),
  credential: oneOf(apiKey, token),
});
export type BrokerCredential = Static<typeof brokerCredential>;

/** A credential that cannot be used until the user signs in again. It holds no secret. */
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
  /** Epoch milliseconds by the broker's clock. */
  generatedAt: integer(),
  /** Grows by one with each change to a credential. */
  generation: integer(),
  credentials: listOf(brokerCredential),
  disabled: listOf(disabledCredential),
});
export type Snapshot = Static<typeof snapshot>;

/**
 * `GET /v1/snapshot/stream`: first an event `snapshot`, then one of the others for each change. The name of the SSE
 * event is `kind`. The event `disabled` also removes the credential from the usable ones; comments keep the connection
 * alive.
 */
export const streamEvent = oneOf(
  object({ kind: exactly("snapshot"), snapshot }),
  object({ kind: exactly("changed"), generation: integer(), generatedAt: integer(), credential: brokerCredential }),
  object({ kind: exactly("disabled"), generation: integer(), generatedAt: integer(), credential: disabledCredential }),
  object({ kind: exactly("removed"), generation: integer(), generatedAt: integer(), ...named }),
);
export type StreamEvent = Static<typeof streamEvent>;

/** Epoch milliseconds from a client; other clients show them as dates. */
const moment = integer({ minimum: 0, maximum: LAST_MOMENT });

/**
 * `POST /v1/credential`: a new credential, or a newer one for the same provider and name. The response is a
 * `BrokerCredential`.
 */
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

/**
 * `POST /v1/credential/:id/disable`. `POST /v1/credential/:id/refresh` has no body; both return the new state of the
 * credential.
 */
export const disableRequest = object({ cause: text() });

/** `POST /v1/credential/:id/report`: what a client learnt from a vendor's response. */
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

/** `GET /v1/usage`: what is known about the remaining limits of each credential. */
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

/** Every error response: `code` for programs, `message` for people. */
export const errorReply = object({ error: object({ code: text(), message: text() }) });
