// The session that the servers of a run work for.

import type { Session } from "@lathe/agent";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { OpenSession } from "../../conversation/session-contract.ts";
import { MOST_SAMPLES } from "./sampling.ts";

/** The session that the servers work for now; until there is one, what there is to say to it. */
export class PresentSession {
  readonly #warnings: (readonly [string, string])[] = [];
  /** Questions to the model, by server. */
  readonly #samples = new Map<string, number>();
  #open: OpenSession | undefined;

  use(open: OpenSession): void {
    this.#open = open;
    this.#samples.clear();
    for (const [message, code] of this.#warnings.splice(0)) open.session.warn(message, code);
  }

  get session(): Session {
    if (!this.#open) throw new Error("the session is not open yet");
    return this.#open.session;
  }

  countSample(server: string): void {
    const count = (this.#samples.get(server) ?? 0) + 1;
    this.#samples.set(server, count);
    if (count > MOST_SAMPLES) throw new Error(`more than ${MOST_SAMPLES} questions to the model in one session`);
  }

  roots(workspace: Workspace): readonly string[] {
    return this.#open?.permissions.roots ?? workspace.roots;
  }

  /** What is said between two sessions is for the next one. */
  warn(message: string, code: string): void {
    if (this.#open && this.#open.session.state !== "closed") this.#open.session.warn(message, code);
    else this.#warnings.push([message, code]);
  }
}
