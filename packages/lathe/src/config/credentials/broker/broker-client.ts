// The broker's endpoints as functions: what to send, how long to wait, and a one-line explanation of each answer or
// failure.

import { visibleLine } from "@lathe/agent/base";
import { messageOf, parseJson, type Transport, type TransportResponse } from "@lathe/llm";
import { Checker, type Schema } from "@lathe/llm/schema";
import { answerText } from "../../../platform/machine/answer-text.ts";
import { CliError, EXIT } from "../../../platform/usage/exit.ts";
import type { BrokerPlace } from "./place.ts";
import { eventsIn } from "./server-sent.ts";
import {
  type BrokerCredential,
  brokerCredential,
  type DisabledCredential,
  disabledCredential,
  errorReply,
  type NewCredential,
  type ReportRequest,
  type Snapshot,
  type StreamEvent,
  snapshot,
  streamEvent,
  type UsageReply,
  usageReply,
} from "./wire.ts";

/** A running broker answers from memory. */
const ANSWERS_WITHIN_MS = 10_000;
/** A renewal waits for the issuer. */
const RENEWS_WITHIN_MS = 30_000;
/** A caller that compares accounts must not wait long. */
const REPORTS_WITHIN_MS = 5_000;
const MOST_BYTES = 16 << 20;

/**
 * `refused`: the broker does not accept the token. `unknown`: it has no such credential. `down`: it gave no usable
 * answer.
 */
export type BrokerFailure = "refused" | "unknown" | "down";

export class BrokerError extends CliError {
  readonly failure: BrokerFailure;
  constructor(failure: BrokerFailure, message: string, cause?: unknown) {
    super(EXIT.provider, message, { cause });
    this.failure = failure;
  }
}

type Credential = BrokerCredential | DisabledCredential;

interface Asking<T> {
  readonly path: string;
  readonly schema?: Schema<T>;
  readonly body?: object;
  readonly method?: "GET" | "POST";
  readonly withinMs?: number;
}

export class BrokerClient {
  readonly #place: BrokerPlace;
  readonly #fetch: Transport;

  constructor(place: BrokerPlace, fetch: Transport) {
    this.#place = place;
    this.#fetch = fetch;
  }

  get url(): string {
    return this.#place.url;
  }

  async snapshot(): Promise<Snapshot> {
    return trimSnapshot(await this.#ask({ path: "/v1/snapshot", schema: snapshot }));
  }

  usage(): Promise<UsageReply> {
    return this.#ask({ path: "/v1/usage", schema: usageReply, withinMs: ANSWERS_WITHIN_MS }).then(printableUsage);
  }

  /** Gets a new token, even if the old one is still valid. */
  refresh(id: string): Promise<Credential> {
    return this.#changeCredential(id, "refresh", { method: "POST", withinMs: RENEWS_WITHIN_MS });
  }

  /** Stores the credential at the broker; replaces one with the same provider and name. */
  async add(credential: NewCredential): Promise<void> {
    await this.#ask({ path: "/v1/credential", body: credential });
  }

  disable(id: string, cause: string): Promise<Credential> {
    return this.#changeCredential(id, "disable", { body: { cause } });
  }

  async report(id: string, report: ReportRequest): Promise<void> {
    await this.#ask({ path: `/v1/credential/${id}/report`, body: report, withinMs: REPORTS_WITHIN_MS });
  }

  /** Ends with the connection or the signal. `onLife` is called whenever something arrives, even if only a comment. */
  async *stream(signal: AbortSignal, onLife: () => void): AsyncGenerator<StreamEvent> {
    const { status, body } = await this.#send({ path: "/v1/snapshot/stream" }, signal);
    if (status !== 200) throw this.#refusal(status, await this.#textOf(body));
    const checker = new Checker(streamEvent, { acceptsUnknown: true, hidesValues: true });
    for await (const data of eventsIn(body, onLife)) {
      const event = parseJson(data);
      const wrong = checker.wrongIn(event);
      // A later version may send kinds of events that we do not know.
      if (wrong !== undefined && !isOurs(event)) continue;
      if (wrong !== undefined) throw this.#unusable(`sent something unexpected: ${wrong}`);
      yield trimEvent(event as unknown as StreamEvent);
    }
  }

  async #changeCredential(
    id: string,
    verb: string,
    asking: Pick<Asking<unknown>, "body" | "method" | "withinMs">,
  ): Promise<Credential> {
    const value = await this.#ask<unknown>({ path: `/v1/credential/${id}/${verb}`, ...asking });
    const isDisabled = new Checker(disabledCredential, { acceptsUnknown: true });
    if (isDisabled.fits(value)) return trimDisabled(value);
    return trimCredential(this.#validate(value, brokerCredential));
  }

  async #ask<T>({ schema, withinMs = ANSWERS_WITHIN_MS, ...asking }: Asking<T>): Promise<T> {
    const { status, body } = await this.#send(asking, AbortSignal.timeout(withinMs));
    const text = await this.#textOf(body);
    if (status < 200 || status > 299) throw this.#refusal(status, text);
    const value = parseJson(text);
    return schema ? this.#validate(value, schema) : (value as T);
  }

  #validate<T>(value: unknown, schema: Schema<T>): T {
    const wrong = new Checker(schema, { acceptsUnknown: true, hidesValues: true }).wrongIn(value);
    if (wrong === undefined) return value as T;
    throw this.#unusable(`sent something unexpected: ${wrong}`);
  }

  #send({ path, body, method }: Asking<unknown>, signal: AbortSignal): Promise<TransportResponse> {
    const { url, token } = this.#place;
    return this.#fetch({
      url: `${url}${path}`,
      method: method ?? (body ? "POST" : "GET"),
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json, text/event-stream",
        ...(body ? { "content-type": "application/json" } : {}),
      },
      signal,
      ...(body ? { body: [JSON.stringify(body)] } : {}),
    }).catch((error: unknown) => {
      throw this.#unreachable(error, signal);
    });
  }

  #textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
    return answerText(body, MOST_BYTES).catch((error: unknown) => {
      throw this.#unreachable(error);
    });
  }

  #unreachable(error: unknown, signal?: AbortSignal): BrokerError {
    const why = signal?.aborted ? "it did not answer in time" : messageOf(error).replace(/\.$/, "");
    return new BrokerError("down", `The broker at ${this.url} cannot be reached: ${why}. ${START_IT}`, error);
  }

  #refusal(status: number, text: string): BrokerError {
    const { url, tokenSource } = this.#place;
    const reply = parseJson(text);
    const isOwn = new Checker(errorReply, { acceptsUnknown: true }).fits(reply);
    // Only an error in the broker's own form counts: this one may come from a proxy in between.
    if (status === 401 && isOwn)
      return new BrokerError(
        "refused",
        `The broker at ${url} does not accept the token of ${tokenSource}. Replace it with what \`lathe auth-broker token\` prints on the broker's machine.`,
      );
    if (status === 404 && isOwn && reply.error.code === "unknown_credential")
      return new BrokerError("unknown", reply.error.message);
    return isOwn
      ? new BrokerError("down", `The broker at ${url}: ${reply.error.message}`)
      : this.#unusable(`answered with status ${status}`);
  }

  #unusable(what: string): BrokerError {
    return new BrokerError(
      "down",
      `The broker at ${this.url} ${what}. Check the address, and that the broker is up to date.`,
    );
  }
}

const START_IT = "Start it with `lathe auth-broker serve`, or check the address.";

const OUR_KINDS = new Set(["snapshot", "changed", "disabled", "removed"]);
const isOurs = (event: unknown): boolean => OUR_KINDS.has(String(Object(event)["kind"]));

/** Drops unknown members, so that nothing a broker adds by mistake ends up in a file here. */
function trimSnapshot({ generatedAt, generation, credentials, disabled }: Snapshot): Snapshot {
  return {
    generatedAt,
    generation,
    credentials: credentials.map(trimCredential),
    disabled: disabled.map(trimDisabled),
  };
}

function trimEvent(event: StreamEvent): StreamEvent {
  if (event.kind === "snapshot") return { kind: event.kind, snapshot: trimSnapshot(event.snapshot) };
  if (event.kind === "changed") return { ...event, credential: trimCredential(event.credential) };
  return event.kind === "disabled" ? { ...event, credential: trimDisabled(event.credential) } : event;
}

function trimCredential({ credential, isRenewable, ...one }: BrokerCredential): BrokerCredential {
  const { access, expires, refresh } = credential as Extract<typeof credential, { type: "oauth" }>;
  const secret =
    credential.type === "api_key"
      ? ({ type: "api_key", key: credential.key } as const)
      : {
          type: "oauth" as const,
          access,
          ...(refresh === undefined ? {} : { refresh }),
          ...(expires === undefined ? {} : { expires }),
        };
  return { ...printableNames(one), isRenewable, credential: secret };
}

function trimDisabled({ type, cause, at, ...one }: DisabledCredential): DisabledCredential {
  return { ...printableNames(one), type, cause: visibleLine(cause), at };
}

/**
 * These names appear in lists on this machine, and the operator of the broker must not be able to control its
 * terminals.
 */
const printableNames = ({
  provider,
  id,
  name,
  identity,
}: Pick<BrokerCredential, "provider" | "id" | "name" | "identity">) => ({
  provider: visibleLine(provider),
  id,
  name: visibleLine(name),
  ...(identity === undefined ? {} : { identity: visibleLine(identity) }),
});

function printableUsage({ generatedAt, accounts }: UsageReply): UsageReply {
  const printableReport = (report: NonNullable<UsageReply["accounts"][number]["usage"]>) => ({
    ...report,
    windows: report.windows.map((window) => ({ ...window, name: visibleLine(window.name) })),
  });
  return {
    generatedAt,
    accounts: accounts.map(({ limit, usage, rateLimit, ...one }) => ({
      ...one,
      ...(limit === undefined ? {} : { limit: { ...limit, reason: visibleLine(limit.reason) } }),
      ...(usage === undefined ? {} : { usage: printableReport(usage) }),
      ...(rateLimit === undefined ? {} : { rateLimit: printableReport(rateLimit) }),
    })),
  };
}
