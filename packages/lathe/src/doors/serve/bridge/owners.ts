// Who answers for a session at the bridge: one client at a time, which has a token of its own. Kept in memory; a bridge that starts
// again knows no owner.

import { Refused } from "../../http/refused.ts";
import { hashOf, isSecret, newToken } from "../../http/secrets.ts";

export class Owners {
  /** Hash of the token by session. */
  readonly #hashes = new Map<string, string>();

  /** `force`: the owner before is refused from now on. */
  claim(sessionId: string, force: boolean): string {
    if (this.#hashes.has(sessionId) && !force)
      throw new Refused(
        409,
        "already_owned",
        'Another client owns this session. Let it release the session, or claim it with {"force": true}.',
      );
    const token = newToken();
    this.#hashes.set(sessionId, hashOf(token));
    return token;
  }

  check(sessionId: string, token: string | undefined): void {
    const hash = this.#hashes.get(sessionId);
    if (token !== undefined && hash !== undefined && isSecret(token, hash)) return;
    throw new Refused(
      403,
      "not_owner",
      "Send the owner token of this session in X-Lathe-Bridge-Owner-Token. POST to its address ownership gives one.",
    );
  }

  release(sessionId: string): void {
    this.#hashes.delete(sessionId);
  }
}
