// What clients see of the vault: the current state without refresh tokens, and every change to it.

import {
  type BrokerCredential,
  type DisabledCredential,
  HELD_BY_BROKER,
  type Snapshot,
  type StreamEvent,
} from "../../../config/credentials/broker/wire.ts";
import type { OpenAccount } from "../../../config/credentials/store.ts";

export interface FeedParts {
  readonly accounts: () => Promise<readonly OpenAccount[]>;
  /** Providers whose tokens this broker can renew. */
  readonly issuers: () => Promise<ReadonlySet<string>>;
  readonly now: () => number;
}

type ClientView =
  | { readonly kind: "usable"; readonly credential: BrokerCredential }
  | { readonly kind: "disabled"; readonly credential: DisabledCredential };

type Listener = (event: StreamEvent) => void;

export class Feed {
  readonly #parts: FeedParts;
  readonly #listeners = new Set<Listener>();
  #shown: ReadonlyMap<string, ClientView> = new Map();
  #generation: number;
  #looking: Promise<void> = Promise.resolve();

  constructor(parts: FeedParts) {
    this.#parts = parts;
    // Higher than any number of an earlier broker, without storing one.
    this.#generation = parts.now();
  }

  /** Reads the vault again and publishes the changes. */
  refresh(): Promise<void> {
    const next = this.#looking.then(() => this.#refresh());
    this.#looking = next.catch(() => undefined); // the caller gets the error; the next call reads anew
    return next;
  }

  snapshot(): Snapshot {
    const all = [...this.#shown.values()];
    return {
      generatedAt: this.#parts.now(),
      generation: this.#generation,
      credentials: all.flatMap((one) => (one.kind === "usable" ? [one.credential] : [])),
      disabled: all.flatMap((one) => (one.kind === "disabled" ? [one.credential] : [])),
    };
  }

  /** The account as clients see it. */
  find(id: string): BrokerCredential | DisabledCredential | undefined {
    return this.#shown.get(id)?.credential;
  }

  /** Calls the listener for every later change. Returns a function that unsubscribes. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #refresh(): Promise<void> {
    const issuers = await this.#parts.issuers();
    const before = this.#shown;
    const after = new Map((await this.#parts.accounts()).map((one) => [one.info.id, clientView(one, issuers)]));
    this.#shown = after;
    for (const [id, { credential }] of before) {
      const { provider, name } = credential;
      if (!after.has(id)) this.#tell({ kind: "removed", provider, id, name, ...this.#stamp() });
    }
    for (const [id, now] of after) {
      if (JSON.stringify(now) === JSON.stringify(before.get(id))) continue;
      if (now.kind === "usable") this.#tell({ kind: "changed", credential: now.credential, ...this.#stamp() });
      else this.#tell({ kind: "disabled", credential: now.credential, ...this.#stamp() });
    }
  }

  #stamp(): { readonly generation: number; readonly generatedAt: number } {
    this.#generation++;
    return { generation: this.#generation, generatedAt: this.#parts.now() };
  }

  #tell(event: StreamEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}

function clientView({ info, credential }: OpenAccount, issuers: ReadonlySet<string>): ClientView {
  const { provider, id, name, identity, type, disabled } = info;
  const named = { provider, id, name, ...(identity === undefined ? {} : { identity }) };
  if (disabled !== undefined) return { kind: "disabled", credential: { ...named, type, ...disabled } };
  if (credential.type === "api_key")
    return { kind: "usable", credential: { ...named, isRenewable: false, credential: asKey(credential.key) } };
  const { access, expires, refresh } = credential;
  return {
    kind: "usable",
    credential: {
      ...named,
      isRenewable: refresh !== undefined && issuers.has(provider),
      credential: {
        type: "oauth",
        access,
        ...(refresh === undefined ? {} : { refresh: HELD_BY_BROKER }),
        ...(expires === undefined ? {} : { expires }),
      },
    },
  };
}

const asKey = (key: string) => ({ type: "api_key", key }) as const;
