// Identifies the client: by a bearer token, or by the cookie that a browser got for a code.

import type { IncomingMessage } from "node:http";
import type { DoorClient, Scope } from "../../door/door.ts";
import type { Attempts } from "../../http/attempts.ts";
import { addressOf, bearerIn } from "../../http/bearer.ts";
import { Refused } from "../../http/refused.ts";
import type { StoredToken, TokenFile } from "./token-file.ts";

/** A signed-in client. */
export interface Visitor {
  readonly token: StoredToken;
  readonly client: DoorClient;
}

export interface SignInOptions {
  readonly tokens: TokenFile;
  readonly attempts: Attempts;
  /** Part of the cookie's name: browsers send the cookies of a host to all its ports. */
  readonly port: () => number;
  readonly secure: boolean;
}

export class SignIn {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** Throws if the request is not signed in. */
  visitor(incoming: IncomingMessage): Visitor {
    const given = bearerIn(incoming.headers.authorization) ?? this.#cookieIn(incoming.headers.cookie);
    if (given === undefined)
      throw new Refused(
        401,
        "signed_out",
        "Sign in first: open the link that the server has printed, or send a token.",
      );
    const token = this.#readTokens((tokens) => tokens.find(given));
    if (token === undefined) throw this.#wrong(incoming, "unknown_token", "This token is not valid, or has expired.");
    const { name, kind, scopes } = token;
    return {
      token,
      client: { name, kind: kind === "browser" ? "browser" : "program", scopes: new Set<Scope>(scopes) },
    };
  }

  /** Resolves with the cookie for the browser that sent the code. */
  async withCode(incoming: IncomingMessage, code: string): Promise<string> {
    this.#refuseGuessing(incoming);
    const made = await this.#options.tokens.redeem(code).catch(refuseUnstored);
    if (made === "expired")
      throw this.#wrong(incoming, "expired_code", "This link has expired. Get another one with: lathe serve link");
    if (made === "unknown")
      throw this.#wrong(incoming, "unknown_code", "This link was used before. Get another one with: lathe serve link");
    const seconds = Math.floor((Date.parse(made.stored.expires) - Date.parse(made.stored.created)) / 1000);
    return this.#cookie(made.token, seconds);
  }

  /** Resolves with a cookie that deletes the current one. */
  async out({ token }: Visitor): Promise<string> {
    if (token.kind === "browser") await this.#options.tokens.revoke(token.id);
    return this.#cookie("", 0);
  }

  /** If the file cannot be read, the token does not count as valid. */
  isGood({ token }: Visitor): boolean {
    try {
      return this.#options.tokens.has(token.id);
    } catch {
      return false;
    }
  }

  #readTokens<T>(look: (tokens: TokenFile) => T): T {
    try {
      return look(this.#options.tokens);
    } catch (error) {
      return refuseUnreadable(error);
    }
  }

  #refuseGuessing(incoming: IncomingMessage): void {
    const seconds = this.#options.attempts.waitFor(addressOf(incoming));
    if (seconds > 0)
      throw new Refused(429, "too_many_attempts", `Too many attempts. Try again in ${seconds} s.`, seconds);
  }

  #wrong(incoming: IncomingMessage, code: string, message: string): Refused {
    this.#options.attempts.noteFailure(addressOf(incoming));
    this.#refuseGuessing(incoming);
    return new Refused(401, code, message);
  }

  get #cookieName(): string {
    const { secure, port } = this.#options;
    return `${secure ? "__Host-" : ""}lathe-${port()}`;
  }

  #cookieIn(cookies = ""): string | undefined {
    const name = this.#cookieName;
    for (const cookie of cookies.split(";")) {
      const [key, value = ""] = cookie.trim().split("=", 2);
      if (key === name) return value;
    }
    return undefined;
  }

  #cookie(value: string, seconds: number): string {
    const secure = this.#options.secure ? "; Secure" : "";
    return `${this.#cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
  }
}

/** Storing the sign-in failed; the code stays valid. */
function refuseUnstored(cause: unknown): never {
  if (typeof (cause as NodeJS.ErrnoException).code !== "string") return refuseUnreadable(cause);
  throw new Refused(
    503,
    "not_kept",
    "The server cannot store this sign-in: its disk is full or cannot be written to. Fix that, then open the link again.",
    undefined,
    { cause },
  );
}

/** The file was edited and is invalid. The details are not for clients that have not signed in. */
function refuseUnreadable(cause: unknown): never {
  throw new Refused(
    503,
    "tokens_unreadable",
    "The server cannot read its tokens. Its operator can see why with: lathe serve token list",
    undefined,
    { cause },
  );
}
