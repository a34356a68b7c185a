// Sessions for programs: opening, listing and reopening them.

import type { AgentSession, AgentSessionOptions, StoredSession } from "./hosts/library/types.ts";
import { loadProduct } from "./load-product.ts";

/** Opens a session in this process. Several may be open at once; each has its own working directory, tools and user. */
export async function createAgentSession(options: AgentSessionOptions = {}): Promise<AgentSession> {
  const { library } = await loadProduct();
  return (await library()).createAgentSession(options);
}

/** The sessions of one directory. */
export class SessionManager {
  readonly #defaults: AgentSessionOptions;

  /** `defaults` holds the directory and the options every session is opened with. */
  constructor(defaults: AgentSessionOptions = {}) {
    this.#defaults = defaults;
  }

  /** The sessions of the directory, newest first. */
  async list(): Promise<readonly StoredSession[]> {
    const { library } = await loadProduct();
    return (await library()).listSessions(this.#defaults);
  }
  /** Starts a session that is saved to disk. */
  create(options: AgentSessionOptions = {}): Promise<AgentSession> {
    return createAgentSession({ ...this.#defaults, ...options, session: "new" });
  }
  /** `session` is a path, or the beginning of an id. */
  open(session: string, options: AgentSessionOptions = {}): Promise<AgentSession> {
    return createAgentSession({ ...this.#defaults, ...options, session });
  }
  /** Reopens the last session of the directory, or starts a new one. */
  continueLast(options: AgentSessionOptions = {}): Promise<AgentSession> {
    return createAgentSession({ ...this.#defaults, ...options, session: "continue" });
  }
  /** Starts a session that leaves no file. */
  inMemory(options: AgentSessionOptions = {}): Promise<AgentSession> {
    return createAgentSession({ ...this.#defaults, ...options, session: "memory" });
  }
}
