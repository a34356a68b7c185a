// What clients know of the vault: the present state without refresh tokens, and each change of it.

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
  /** Providers whose tokens can be renewed here. */
  readonly issuers: () => Promise<ReadonlySet<string>>;
  readonly now: () => number;
}

type Shown =
  | { readonly kind: "usable"; readonly credential: BrokerCredential }
  | { readonly kind: "disabled"; readonly credential: DisabledCredential };

type Listener = (event: StreamEvent) => void;

export class Feed {
  readonly #parts: FeedParts;
  readonly #listeners = new Set<Listener>();
  #shown: ReadonlyMap<string, Shown> = new Map();
  #generation: number;
  #looking: Promise<void> = Promise.resolve();

  constructor(parts: FeedParts) {
    this.#parts = parts;
    // Higher than any of a broker before, without a file of its own.
    this.#generation = parts.now();
  }

  /** Reads the vault again, and tells what has changed. */
  look(): Promise<void> {
    const next = this.#looking.then(() => this.#look());
    this.#looking = next.catch(() => undefined); // told to the one that asked; the next one reads anew
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

  /** What has become of an account. */
  find(id: string): BrokerCredential | DisabledCredential | undefined {
    return this.#shown.get(id)?.credential;
  }

  /** Every change after this moment. Returns how to end it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #look(): Promise<void> {
    const issuers = await this.#parts.issuers();
    const before = this.#shown;
    const after = new Map((await this.#parts.accounts()).map((one) => [one.info.id, shown(one, issuers)]));
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

function shown({ info, credential }: OpenAccount, issuers: ReadonlySet<string>): Shown {
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
