// Identifies the caller: the operator by the gateway's own token, a client by its key, or anyone on a gateway without
// sign-in.

import type { IncomingMessage } from "node:http";
import type { Attempts } from "../../http/attempts.ts";
import { addressOf, bearerIn } from "../../http/bearer.ts";
import type { ClientKey, KeyFile } from "../keys/key-file.ts";
import { GatewayRefusal } from "./refusal.ts";

export interface Caller {
  /** The id used in the ledger. */
  readonly id: string;
  readonly name: string;
  /** Undefined for the operator. */
  readonly key: ClientKey | undefined;
}

/** Keys cannot have such names. */
const OPERATOR: Caller = { id: "(operator)", name: "(operator)", key: undefined };
const ANYONE: Caller = { id: "(anyone)", name: "(anyone)", key: undefined };

export interface CallersOptions {
  /** Must compare in constant time. */
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

  /** Throws a refusal if the request has no valid key. */
  callerOf(incoming: IncomingMessage): Caller {
    const { isOwnToken, keys, attempts, needsKey } = this.#options;
    const given = secretIn(incoming);
    if (!needsKey) return this.#callerOfKey(given === undefined ? undefined : keys.find(given)) ?? ANYONE;
    if (given === undefined)
      throw new GatewayRefusal("unauthenticated", "Send your key in the Authorization header or as x-api-key.", {
        code: "key_missing",
        isFinal: true,
      });
    // A valid key always passes, even while other clients at that address are locked out: 256 random bits cannot be
    // guessed. Check keys first: nearly all requests carry one, and each of the two checks looks at a file.
    const caller = this.#callerOfKey(keys.find(given)) ?? (isOwnToken(given) ? OPERATOR : undefined);
    if (caller !== undefined) return caller;
    const address = addressOf(incoming);
    attempts.noteFailure(address);
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

  /** Whether the key is still valid, for long answers. */
  isGood({ key }: Caller): boolean {
    if (key === undefined) return true;
    const { keys } = this.#options;
    const now = keys.list().find(({ id }) => id === key.id);
    return now !== undefined && keys.stateOf(now) !== "revoked";
  }

  #callerOfKey(key: ClientKey | undefined): Caller | undefined {
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

/** Accepts both headers that the vendors' clients use. */
function secretIn({ headers }: IncomingMessage): string | undefined {
  const named = headers["x-api-key"];
  return bearerIn(headers.authorization) ?? (typeof named === "string" && named !== "" ? named.trim() : undefined);
}
