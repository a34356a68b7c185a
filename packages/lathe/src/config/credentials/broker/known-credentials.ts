// A client's copy of the broker's credentials: a snapshot and the changes since. No effects.

import type { AccountChange, AccountInfo } from "../source.ts";
import type { BrokerCredential, DisabledCredential, Snapshot, StreamEvent } from "./wire.ts";

type Delta = Exclude<StreamEvent, { kind: "snapshot" }>;

export class KnownCredentials {
  #generation: number;
  #generatedAt: number;
  readonly #credentials = new Map<string, BrokerCredential>();
  readonly #disabled = new Map<string, DisabledCredential>();

  constructor(snapshot: Snapshot) {
    this.#generation = snapshot.generation;
    this.#generatedAt = snapshot.generatedAt;
    this.#take(snapshot);
  }

  /** The state in the form that the broker sends. */
  snapshot(): Snapshot {
    return {
      generatedAt: this.#generatedAt,
      generation: this.#generation,
      credentials: [...this.#credentials.values()],
      disabled: [...this.#disabled.values()],
    };
  }

  providers(): readonly string[] {
    return [...new Set([...this.#credentials.values(), ...this.#disabled.values()].map(({ provider }) => provider))];
  }

  accounts(provider: string): readonly AccountInfo[] {
    return [
      ...[...this.#credentials.values()].filter((one) => one.provider === provider).map(infoOf),
      ...[...this.#disabled.values()].filter((one) => one.provider === provider).map(disabledInfoOf),
    ];
  }

  credential(id: string): BrokerCredential | undefined {
    return this.#credentials.get(id);
  }

  disabled(id: string): DisabledCredential | undefined {
    return this.#disabled.get(id);
  }

  /** Replaces everything. Returns the accounts that changed. */
  replace(snapshot: Snapshot): readonly AccountChange[] {
    const before = this.#entries();
    this.#generation = snapshot.generation;
    this.#generatedAt = snapshot.generatedAt;
    this.#credentials.clear();
    this.#disabled.clear();
    this.#take(snapshot);
    const after = this.#entries();
    const changed = [...after].filter(([id, entry]) => JSON.stringify(before.get(id)) !== JSON.stringify(entry));
    const removed = [...before].filter(([id]) => !after.has(id));
    return [
      ...changed.map(([id, { provider }]) => ({ kind: "changed", provider, id }) as const),
      ...removed.map(([id, { provider }]) => ({ kind: "removed", provider, id }) as const),
    ];
  }

  /** Undefined if earlier changes are missing, so that only a new snapshot helps. */
  apply(delta: Delta): readonly AccountChange[] | undefined {
    if (delta.generation <= this.#generation) return [];
    if (delta.generation > this.#generation + 1) return undefined;
    this.#generation = delta.generation;
    this.#generatedAt = delta.generatedAt;
    if (delta.kind === "removed") return [this.remove(delta)];
    return [this.put(delta.credential)];
  }

  /** Stores the current state of one credential. */
  put(credential: BrokerCredential | DisabledCredential): AccountChange {
    const { provider, id } = credential;
    if ("credential" in credential) {
      this.#disabled.delete(id);
      this.#credentials.set(id, credential);
    } else {
      this.#credentials.delete(id);
      this.#disabled.set(id, credential);
    }
    return { kind: "changed", provider, id };
  }

  remove({ provider, id }: { readonly provider: string; readonly id: string }): AccountChange {
    this.#credentials.delete(id);
    this.#disabled.delete(id);
    return { kind: "removed", provider, id };
  }

  #take({ credentials, disabled }: Snapshot): void {
    for (const credential of credentials) this.#credentials.set(credential.id, credential);
    for (const one of disabled) this.#disabled.set(one.id, one);
  }

  #entries(): Map<string, BrokerCredential | DisabledCredential> {
    return new Map<string, BrokerCredential | DisabledCredential>([...this.#credentials, ...this.#disabled]);
  }
}

function infoOf({ provider, id, name, identity, isRenewable, credential }: BrokerCredential): AccountInfo {
  return {
    provider,
    id,
    name,
    type: credential.type,
    isAtBroker: true,
    isRenewable,
    ...(identity === undefined ? {} : { identity }),
    ...(credential.type === "oauth" && credential.expires !== undefined ? { expires: credential.expires } : {}),
  };
}

function disabledInfoOf({ provider, id, name, type, identity, cause, at }: DisabledCredential): AccountInfo {
  return {
    provider,
    id,
    name,
    type,
    isAtBroker: true,
    isRenewable: false,
    ...(identity === undefined ? {} : { identity }),
    disabled: { cause, at },
  };
}
