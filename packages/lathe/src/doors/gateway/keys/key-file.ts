// The file of client keys: who may use the gateway, for how much and until when. It holds only hashes and only its
// owner can read it; a revoked key stops working at once.

import {
  Checker,
  choice,
  exactly,
  integer,
  listOf,
  number,
  object,
  optional,
  type Static,
  text,
} from "@lathe/llm/schema";
import { PrivateFile } from "../../../platform/home/private-file.ts";
import { usageError } from "../../../platform/usage/exit.ts";
import { hashOf, isSameHash, newToken, newTokenId } from "../../http/secrets.ts";
import { type KeyBudget, PERIODS, type Period } from "./terms.ts";

const clientKey = object({
  id: text(),
  name: text(),
  hash: text({ pattern: "^[0-9a-f]{64}$" }),
  budget: optional(object({ usd: number({ minimum: 0 }), period: choice(PERIODS) })),
  /** Names with `*`; absent for all models. */
  models: optional(listOf(text())),
  /** Requests per minute. */
  rpm: optional(integer({ minimum: 1 })),
  created: text(),
  /** ISO dates. A key that has ended keeps its row for a while, so that its client is told why. */
  expires: optional(text()),
  revoked: optional(text()),
});
const keyFile = object({ version: exactly(1), keys: listOf(clientKey) });

/** A key as stored: its hash, never the key itself. */
export type ClientKey = Static<typeof clientKey>;
type Stored = Static<typeof keyFile>;

const CHECKER = new Checker(keyFile, { acceptsUnknown: true, hidesValues: true });
const EMPTY: Stored = { version: 1, keys: [] };
const ADVICE = "Fix it, or remove it and add your keys again.";

/** Keys that ended longer ago are removed; the ledger keeps their names. */
const REMEMBERED_MS = 30 * 86_400_000;

/** What a new key may do. */
export interface KeyTerms {
  readonly name: string;
  readonly budget?: KeyBudget | undefined;
  readonly models?: readonly string[] | undefined;
  readonly rpm?: number | undefined;
  readonly lastsMs?: number | undefined;
}

/** The only time the key itself is available. */
export interface MadeKey {
  readonly key: string;
  readonly stored: ClientKey;
}

export type KeyState = "active" | "expired" | "revoked";

export class KeyFile {
  readonly #file: PrivateFile<Stored>;
  readonly #now: () => number;

  constructor(file: string, now: () => number) {
    this.#file = new PrivateFile<Stored>(file, { checker: CHECKER, empty: EMPTY, advice: ADVICE });
    this.#now = now;
  }

  /** Includes keys that ended in the last 30 days. */
  list(): readonly ClientKey[] {
    return this.#file.value().keys;
  }

  /**
   * How the budget of a key is counted; a removed key counts as `ever`. A key's period never changes, so the last read
   * of the file will do.
   */
  periodOf(id: string): Period {
    const ofKey = (keys: readonly ClientKey[]): ClientKey | undefined => keys.find((key) => key.id === id);
    return (ofKey(this.#file.lastRead().keys) ?? ofKey(this.list()))?.budget?.period ?? "ever";
  }

  stateOf({ expires, revoked }: ClientKey): KeyState {
    if (revoked !== undefined) return "revoked";
    return expires !== undefined && expires <= this.#date(0) ? "expired" : "active";
  }

  /** The key of this secret, even one that has ended; undefined if it is none of ours. */
  find(secret: string): ClientKey | undefined {
    let found: ClientKey | undefined;
    const hash = hashOf(secret);
    // Compare with all keys, so that the time does not tell which one matched.
    for (const key of this.#file.value().keys) if (isSameHash(hash, key.hash)) found = key;
    return found;
  }

  async add({ name, budget, models, rpm, lastsMs }: KeyTerms): Promise<MadeKey> {
    const key = newToken();
    const stored: ClientKey = {
      id: newTokenId(),
      name,
      hash: hashOf(key),
      ...(budget === undefined ? {} : { budget }),
      ...(models === undefined ? {} : { models: [...models] }),
      ...(rpm === undefined ? {} : { rpm }),
      created: this.#date(0),
      ...(lastsMs === undefined ? {} : { expires: this.#date(lastsMs) }),
    };
    await this.#change((keys) => {
      // Checked under the lock, so that of two processes adding this name one fails.
      if (keys.some((other) => other.name === name && this.stateOf(other) === "active"))
        throw usageError(
          `There is a key named ${name}. Choose another name, or: lathe auth-gateway key revoke ${name}`,
        );
      // `revoke` takes names and ids, so a name must not be the id of another key.
      if (keys.some(({ id }) => id === name))
        throw usageError(`${name} is the id of another key. Choose another name.`);
      // Each run may add a key, and every request searches the file: it must not grow.
      const longAgo = this.#date(-REMEMBERED_MS);
      return [...keys.filter((other) => !hasEndedBefore(other, longAgo)), stored];
    });
    return { key, stored };
  }

  /** Resolves with the active keys that had this id or name. */
  async revoke(idOrName: string): Promise<readonly ClientKey[]> {
    let gone: readonly ClientKey[] = [];
    await this.#change((keys) => {
      const isMeant = (key: ClientKey): boolean =>
        (key.id === idOrName || key.name === idOrName) && this.stateOf(key) === "active";
      gone = keys.filter(isMeant);
      return keys.map((key) => (isMeant(key) ? { ...key, revoked: this.#date(0) } : key));
    });
    return gone;
  }

  #change(change: (keys: readonly ClientKey[]) => readonly ClientKey[]): Promise<void> {
    return this.#file.change(({ keys }) => ({ version: 1, keys: [...change(keys)] }));
  }

  #date(fromNowMs: number): string {
    return new Date(this.#now() + fromNowMs).toISOString();
  }
}

function hasEndedBefore({ expires, revoked }: ClientKey, date: string): boolean {
  const end = revoked ?? expires;
  return end !== undefined && end < date;
}
