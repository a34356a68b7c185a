// Language servers that stay while one session of a run follows another in a folder. They have their own environment,
// because a session's environment ends with it. Agents in isolated copies have servers that end with their copy.

import type { ExecutionEnvironment } from "@lathe/agent";
import { thisMachine } from "../../config/workspace/this-machine.ts";
import type { OpenSession, SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { PresentSession } from "../present-session.ts";
import type { LanguageServer } from "./language-server.ts";

export class LastingServers {
  /** Servers by what they were started from. */
  readonly servers = new Map<string, LanguageServer>();
  readonly #sessions = new PresentSession();
  /** Identities of the sessions' environments, whose files ours sees too. */
  readonly #identities = new Set<string>();
  readonly #make: () => ExecutionEnvironment;
  /** The host provided the environment, and ends it after the last session. */
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

  /** The environment of lasting servers for files of `env`; undefined if they can only run in `env` itself. */
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
