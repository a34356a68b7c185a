// Sessions for programs: opened, listed and opened again.

import type { AgentSession, AgentSessionOptions, StoredSession } from "./hosts/library/types.ts";
import { loadProduct } from "./load-product.ts";

/** Opens a session in this process. Several may be open at once; each has its own place, tools and person. */
export async function createAgentSession(options: AgentSessionOptions = {}): Promise<AgentSession> {
  const { library } = await loadProduct();
  return (await library()).createAgentSession(options);
}

/** The sessions of one place. */
export class SessionManager {
  readonly #defaults: AgentSessionOptions;

  /** `defaults`: the place, and what each session is opened with. */
  constructor(defaults: AgentSessionOptions = {}) {
    this.#defaults = defaults;
  }

  /** Those of the directory, newest first. */
  async list(): Promise<readonly StoredSession[]> {
    const { library } = await loadProduct();
    return (await library()).listSessions(this.#defaults);
  }
  /** A new one, which is kept on disk. */
  create(options: AgentSessionOptions = {}): Promise<AgentSession> {
    return createAgentSession({ ...this.#defaults, ...options, session: "new" });
  }
  /** A path, or the beginning of an id. */
  open(session: string, options: AgentSessionOptions = {}): Promise<AgentSession> {
    return createAgentSession({ ...this.#defaults, ...options, session });
  }
  /** The last one of the directory, or a new one. */
  continueLast(options: AgentSessionOptions = {}): Promise<AgentSession> {
    return createAgentSession({ ...this.#defaults, ...options, session: "continue" });
  }
  /** One that leaves no file. */
  inMemory(options: AgentSessionOptions = {}): Promise<AgentSession> {
    return createAgentSession({ ...this.#defaults, ...options, session: "memory" });
  }
}
