// Gives the session to parts that are made before it. A part that uses it too early gets an error that says so.

import type { Session } from "@lathe/agent";

export class SessionHandle {
  #session: Session | undefined;
  /** Warnings from before the session was made. */
  readonly #warnings: (readonly [message: string, code: string])[] = [];

  get isMade(): boolean {
    return this.#session !== undefined;
  }

  get current(): Session {
    if (this.#session) return this.#session;
    throw new Error("A part of the session used the session before it was made.");
  }

  /** Called once, by the code that makes the session. */
  fill(session: Session): void {
    this.#session = session;
    for (const [message, code] of this.#warnings.splice(0)) session.warn(message, code);
  }

  readonly warn = (message: string, code: string): void => {
    if (this.#session) this.#session.warn(message, code);
    else this.#warnings.push([message, code]);
  };
}
