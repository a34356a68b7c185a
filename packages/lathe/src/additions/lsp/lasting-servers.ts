// Language servers that stay while one session of a run follows another in a folder. They have an environment of their own: that of a
// session ends with it. Agents in isolated copies have servers that end with their copy.

import type { ExecutionEnvironment } from "@lathe/agent";
import { thisMachine } from "../../config/workspace/this-machine.ts";
import type { OpenSession, SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { PresentSession } from "../present-session.ts";
import type { LanguageServer } from "./language-server.ts";

export class LastingServers {
  /** By what they were made of. */
  readonly servers = new Map<string, LanguageServer>();
  readonly #sessions = new PresentSession();
  /** Of the environments of sessions: what is in one of them is in ours. */
  readonly #identities = new Set<string>();
  readonly #make: () => ExecutionEnvironment;
  /** Somebody else ends it, after the last session. */
  readonly #isGiven: boolean;
  #env: Promise<ExecutionEnvironment> | undefined;

  constructor(workspace: SessionWorkspace, { environment }: SessionRequest) {
    const roots = () => this.#sessions.roots(workspace);
    const warn = (message: string, code: string): void => this.#sessions.warn(message, code);
    this.#isGiven = environment !== undefined;
    this.#make = () => environment?.(workspace, warn) ?? thisMachine(workspace, { roots, warn });
  }

  use(open: OpenSession): void {
    this.#sessions.use(open);
    this.#identities.add(open.session.env.identity);
  }

  /** Where a server for files of `env` stays; undefined: only in `env` itself. */
  async placeFor(env: ExecutionEnvironment): Promise<ExecutionEnvironment | undefined> {
    if (!this.#identities.has(env.identity)) return undefined;
    this.#env ??= this.#open();
    return this.#env;
  }

  readonly warn = (message: string): void => this.#sessions.warn(message, "lsp");

  async close(): Promise<void> {
    if (!this.#isGiven) await (await this.#env)?.cleanup();
    await Promise.all([...this.servers.values()].map((server) => server.stop()));
  }

  async #open(): Promise<ExecutionEnvironment> {
    const env = this.#make();
    await env.initialize();
    return env;
  }
}
