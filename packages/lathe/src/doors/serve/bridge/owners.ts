// Which client answers for a session at the bridge: one at a time, with its own token. Kept in memory, so a restarted
// bridge knows no owners.

import { Refused } from "../../http/refused.ts";
import { hashOf, isSecret, newToken } from "../../http/secrets.ts";

export class Owners {
  /** Hash of the owner's token, by session. */
  readonly #hashes = new Map<string, string>();

  /** With `force`, the previous owner is refused from now on. */
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
      "Send the owner token of this session in X-Lathe-Bridge-Owner-Token. POST to its ownership address to get one.",
    );
  }

  release(sessionId: string): void {
    this.#hashes.delete(sessionId);
  }
}
