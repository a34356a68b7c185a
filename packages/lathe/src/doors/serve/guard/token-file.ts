// The file of tokens: who may use `lathe serve`, for what and until when. It holds only hashes and only its owner can
// read it; a revoked token stops working at once.

import { Checker, choice, exactly, listOf, object, optional, type Static, text } from "@lathe/llm/schema";
import { PrivateFile } from "../../../platform/home/private-file.ts";
import type { Scope } from "../../door/door.ts";
import { hashOf, isSecret, newCode, newToken, newTokenId } from "../../http/secrets.ts";

/** From the least to the most powerful. */
export const SCOPES = ["read", "prompt", "approve", "admin"] as const satisfies readonly Scope[];

const hash = text({ pattern: "^[0-9a-f]{64}$" });
const grantFields = {
  scopes: listOf(choice(SCOPES)),
  /** The only session that it grants access to. */
  session: optional(text()),
};
const storedToken = object({
  id: text(),
  name: text(),
  /** `browser` is the cookie of a signed-in browser. */
  kind: choice(["token", "browser"]),
  hash,
  ...grantFields,
  created: text(),
  /** An ISO date. */
  expires: text(),
});
/** `until` is the end of the token that the code is exchanged for, if it was fixed. */
const storedCode = object({ hash, ...grantFields, expires: text(), until: optional(text()) });
const tokenFile = object({ version: exactly(1), tokens: listOf(storedToken), codes: listOf(storedCode) });

/** A token as stored: its hash, never the token itself. */
export type StoredToken = Static<typeof storedToken>;
type Stored = Static<typeof tokenFile>;

const CHECKER = new Checker(tokenFile, { acceptsUnknown: true, hidesValues: true });
const EMPTY: Stored = { version: 1, tokens: [], codes: [] };
const ADVICE = "Fix it, or remove it and add your tokens again.";

/** What a token or code allows. */
export interface Grant {
  readonly scopes: readonly Scope[];
  readonly session?: string | undefined;
}

/** A token to create. */
export interface NewToken extends Grant {
  readonly name: string;
  readonly lastsMs: number;
}

/** The only time the token itself is available. */
export interface MadeToken {
  readonly token: string;
  readonly stored: StoredToken;
}

const MOST_BROWSER_DAYS = 30;
const DAY_MS = 86_400_000;

export class TokenFile {
  readonly #file: PrivateFile<Stored>;
  readonly #now: () => number;

  constructor(file: string, now: () => number) {
    this.#file = new PrivateFile<Stored>(file, { checker: CHECKER, empty: EMPTY, advice: ADVICE });
    this.#now = now;
  }

  /** The tokens that have not expired. */
  list(): readonly StoredToken[] {
    return this.#file.value().tokens.filter((token) => this.#isGood(token.expires));
  }

  /** The token of this secret; undefined if it is unknown, expired or revoked. */
  find(secret: string): StoredToken | undefined {
    let found: StoredToken | undefined;
    // Compare with all tokens, so that the time does not tell which one matched.
    for (const token of this.#file.value().tokens) if (isSecret(secret, token.hash)) found = token;
    return found !== undefined && this.#isGood(found.expires) ? found : undefined;
  }

  has(id: string): boolean {
    return this.list().some((token) => token.id === id);
  }

  async add({ name, scopes, session, lastsMs }: NewToken): Promise<MadeToken> {
    const token = newToken();
    const stored: StoredToken = {
      id: newTokenId(),
      name,
      kind: "token",
      hash: hashOf(token),
      scopes: [...scopes],
      ...(session === undefined ? {} : { session }),
      created: this.#date(0),
      expires: this.#date(lastsMs),
    };
    await this.#change(({ tokens, codes }) => ({ tokens: [...tokens, stored], codes }));
    return { token, stored };
  }

  /** Resolves with the tokens that had this id or name. */
  async revoke(idOrName: string): Promise<readonly StoredToken[]> {
    const gone = this.#file.value().tokens.filter(({ id, name }) => id === idOrName || name === idOrName);
    const ids = new Set(gone.map(({ id }) => id));
    if (gone.length > 0)
      await this.#change(({ tokens, codes }) => ({ tokens: tokens.filter(({ id }) => !ids.has(id)), codes }));
    return gone;
  }

  /** A code that signs one browser in: for 30 days from sign-in, or until `grantMs` from now. */
  async addCode({ scopes, session }: Grant, lastsMs: number, grantMs?: number): Promise<string> {
    const code = newCode();
    const stored = {
      hash: hashOf(code),
      scopes: [...scopes],
      ...(session === undefined ? {} : { session }),
      expires: this.#date(lastsMs),
      ...(grantMs === undefined ? {} : { until: this.#date(grantMs) }),
    };
    await this.#change(({ tokens, codes }) => ({ tokens, codes: [...codes, stored] }));
    return code;
  }

  /**
   * Exchanges a code for a browser's token. `expired` and `unknown` (or already used) differ, because users keep old
   * links.
   */
  async redeem(code: string): Promise<MadeToken | "expired" | "unknown"> {
    let outcome: MadeToken | "expired" | "unknown" = "unknown";
    // Checked under the lock, so that of two requests with one code only the first succeeds.
    await this.#change(({ tokens, codes }) => {
      const found = codes.find((candidate) => isSecret(code, candidate.hash));
      if (found === undefined) return { tokens, codes };
      const others = codes.filter((candidate) => candidate !== found);
      if (!this.#isGood(found.expires)) {
        outcome = "expired";
        return { tokens, codes: others };
      }
      const made = browserToken(found, tokens, (ms) => this.#date(ms));
      outcome = made;
      return { tokens: [...tokens, made.stored], codes: others };
    });
    return outcome;
  }

  /** Also drops what expired more than a day ago. */
  async #change(change: (stored: Stored) => Omit<Stored, "version">): Promise<void> {
    await this.#file.change((stored) => {
      const { tokens, codes } = change(stored);
      const recent = new Date(this.#now() - DAY_MS).toISOString();
      return {
        version: 1,
        tokens: tokens.filter(({ expires }) => expires > recent),
        codes: codes.filter(({ expires }) => expires > recent),
      };
    });
  }

  #date(fromNowMs: number): string {
    return new Date(this.#now() + fromNowMs).toISOString();
  }
  #isGood(expires: string): boolean {
    return expires > this.#date(0);
  }
}

function browserToken(
  { scopes, session, until }: Static<typeof storedCode>,
  tokens: readonly StoredToken[],
  date: (fromNowMs: number) => string,
): MadeToken {
  const token = newToken();
  const names = new Set(tokens.map(({ name }) => name));
  let number = 1;
  while (names.has(`browser ${number}`)) number++;
  return {
    token,
    stored: {
      id: newTokenId(),
      name: `browser ${number}`,
      kind: "browser",
      hash: hashOf(token),
      scopes,
      ...(session === undefined ? {} : { session }),
      created: date(0),
      expires: until ?? date(MOST_BROWSER_DAYS * DAY_MS),
    },
  };
}
