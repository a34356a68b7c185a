// Who asks: the operator with the gateway's own token, a client with its key, or anyone at all on a gateway without sign-in.

import type { IncomingMessage } from "node:http";
import type { Attempts } from "../../http/attempts.ts";
import { addressOf, bearerIn } from "../../http/bearer.ts";
import type { ClientKey, KeyFile } from "../keys/key-file.ts";
import { GatewayRefusal } from "./refusal.ts";

export interface Caller {
  /** Under which the ledger counts. */
  readonly id: string;
  readonly name: string;
  /** The operator has none. */
  readonly key: ClientKey | undefined;
}

/** Not a name that a key can have. */
const OPERATOR: Caller = { id: "(operator)", name: "(operator)", key: undefined };
const ANYONE: Caller = { id: "(anyone)", name: "(anyone)", key: undefined };

export interface CallersOptions {
  /** Compares in constant time. */
  readonly isOwnToken: (given: string) => boolean;
  readonly keys: KeyFile;
  readonly attempts: Attempts;
  readonly needsKey: boolean;
}

export class Callers {
  readonly #options: CallersOptions;

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** Throws a refusal for a request without a key that works. */
  callerOf(incoming: IncomingMessage): Caller {
    const { isOwnToken, keys, attempts, needsKey } = this.#options;
    const given = secretIn(incoming);
    if (!needsKey) return this.#keyed(given === undefined ? undefined : keys.find(given)) ?? ANYONE;
    if (given === undefined)
      throw new GatewayRefusal("unauthenticated", "Send your key in the Authorization header or as x-api-key.", {
        code: "key_missing",
        isFinal: true,
      });
    // A key of 256 random bits cannot be guessed: whoever has one is served whatever others try from that address.
    // Keys first: nearly all requests come with one, and each of the two looks at a file.
    const caller = this.#keyed(keys.find(given)) ?? (isOwnToken(given) ? OPERATOR : undefined);
    if (caller !== undefined) return caller;
    const address = addressOf(incoming);
    attempts.failed(address);
    const seconds = attempts.waitFor(address);
    if (seconds > 0)
      throw new GatewayRefusal("rate_limit", `Too many attempts. Try again in ${seconds} s.`, {
        code: "too_many_attempts",
        retryAfter: seconds,
      });
    throw new GatewayRefusal("unauthenticated", "This key is not valid. Ask the operator of the gateway for one.", {
      code: "key_unknown",
      isFinal: true,
    });
  }

  /** Still good, for answers that go on for long. */
  isGood({ key }: Caller): boolean {
    if (key === undefined) return true;
    const { keys } = this.#options;
    const now = keys.list().find(({ id }) => id === key.id);
    return now !== undefined && keys.stateOf(now) !== "revoked";
  }

  #keyed(key: ClientKey | undefined): Caller | undefined {
    if (key === undefined) return undefined;
    const state = this.#options.keys.stateOf(key);
    if (state === "active") return { id: key.id, name: key.name, key };
    const message =
      state === "revoked"
        ? "This key was revoked. Ask the operator of the gateway for another one."
        : `This key expired at ${key.expires}. Ask the operator of the gateway for another one.`;
    throw new GatewayRefusal("unauthenticated", message, { code: `key_${state}`, isFinal: true });
  }
}

/** As the clients of the vendors send it. */
function secretIn({ headers }: IncomingMessage): string | undefined {
  const named = headers["x-api-key"];
  return bearerIn(headers.authorization) ?? (typeof named === "string" && named !== "" ? named.trim() : undefined);
}
