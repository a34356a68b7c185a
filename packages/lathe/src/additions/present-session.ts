// The session that the servers of a run currently work for.

import type { Session } from "@lathe/agent";
import type { Workspace } from "../config/workspace/workspace.ts";
import type { OpenSession } from "../conversation/session-contract.ts";

/** The current session of the servers. Warnings wait until there is one. */
export class PresentSession {
  readonly #warnings: (readonly [string, string])[] = [];
  #open: OpenSession | undefined;

  use(open: OpenSession): void {
    this.#open = open;
    for (const [message, code] of this.#warnings.splice(0)) open.session.warn(message, code);
  }

  get session(): Session {
    if (!this.#open) throw new Error("the session is not open yet");
    return this.#open.session;
  }

  roots(workspace: Workspace): readonly string[] {
    return this.#open?.permissions.roots ?? workspace.roots;
  }

  /** Warnings between two sessions go to the next one. */
  warn(message: string, code: string): void {
    if (this.#open && this.#open.session.state !== "closed") this.#open.session.warn(message, code);
    else this.#warnings.push([message, code]);
  }
}
