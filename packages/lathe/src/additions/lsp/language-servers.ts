// All language servers of a session and its agents: one process per row, root and environment. Servers of the project
// itself may have been started by an earlier session.

import { abortAfter } from "@lathe/agent/base";
import { EnvError, type ExecutionEnvironment } from "@lathe/agent/world";
import { type FittingServer, isFor, programFor, rootFor } from "./find-servers.ts";
import { LanguageServer } from "./language-server.ts";
import type { LastingServers } from "./lasting-servers.ts";
import type { ServerRow } from "./server-row.ts";
import { EVERYWHERE } from "./server-table.ts";

export interface LanguageServersOptions {
  readonly rows: readonly ServerRow[];
  /** The project's folder. An agent that works in a part of it uses the servers of the whole. */
  readonly top?: string | undefined;
  readonly isTrusted: () => boolean;
  readonly now: () => number;
  readonly idleMs?: number | undefined;
  readonly warn: (message: string) => void;
  /** Servers that outlive the session; absent if none does. */
  readonly lasting?: Pick<LastingServers, "servers" | "placeFor" | "warn"> | undefined;
}

const WARM_UP_MS = 5000;

/** A server that can be used, or the reason why not. */
export interface UsableServer extends FittingServer {
  readonly server?: LanguageServer;
}

export class LanguageServers {
  readonly #options: LanguageServersOptions;
  /** Servers that end with the session. */
  readonly #own = new Map<string, LanguageServer>();
  /** Search results by row and root: programs do not come and go during a session. */
  readonly #found = new Map<string, Promise<FittingServer>>();
  #isClosed = false;

  constructor(options: LanguageServersOptions) {
    this.#options = options;
  }

  get rows(): readonly ServerRow[] {
    return this.#options.rows;
  }

  /** The servers for a file, those that know definitions first. Of these, only the first that runs is used. */
  async forFile(path: string, env: ExecutionEnvironment): Promise<UsableServer[]> {
    const fitting: UsableServer[] = [];
    for (const row of this.rows.filter((one) => isFor(one, path))) {
      if (!row.isLinter && fitting.some(({ row: other, server }) => !other.isLinter && server)) continue;
      const root = await rootFor(row, path, env, this.#options.top);
      if (root !== undefined) fitting.push(await this.#usable(row, root, env));
    }
    return fitting.sort((a, b) => Number(a.row.isLinter ?? false) - Number(b.row.isLinter ?? false));
  }

  /** The servers that the project's folder needs. */
  async forProject(env: ExecutionEnvironment): Promise<UsableServer[]> {
    const fitting: UsableServer[] = [];
    for (const row of this.rows) {
      const root = await rootFor(row, `${env.workingDirectory()}/.`, env, this.#options.top);
      if (root === undefined) continue;
      const other = row.isLinter ? undefined : fitting.find((one) => one.server && answersFor(one.row, row));
      if (other) continue;
      const found = await this.#usable(row, root, env);
      // A server that is not installed is listed only if a marker really calls for it.
      const markers = row.rootMarkers.filter((marker) => !EVERYWHERE.includes(marker));
      if (!found.isMissing || (await rootFor({ ...row, rootMarkers: markers }, `${root}/.`, env, this.#options.top)))
        fitting.push(found);
    }
    return fitting;
  }

  /** Starts the project's servers. Errors are reported when one is used. */
  async warmUp(env: ExecutionEnvironment): Promise<void> {
    const signal = abortAfter(WARM_UP_MS);
    const fitting = await this.forProject(env);
    await Promise.allSettled(fitting.map(({ server }) => server?.use(signal)));
  }

  /** The servers that run now. */
  get running(): readonly LanguageServer[] {
    return this.#all.filter(({ live }) => live !== undefined);
  }

  /** All servers that were ever started, including those that have ended or are off. */
  get started(): readonly LanguageServer[] {
    return this.#all.filter(({ state }) => state !== "not started");
  }

  /** Stops a server, so that the next use starts it again. */
  async restart(server: LanguageServer): Promise<void> {
    for (const servers of [this.#own, this.#options.lasting?.servers]) servers?.delete(server.key);
    this.#found.clear();
    await server.stop();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#own.values()].map((server) => server.stop()));
    this.#own.clear();
  }

  // ---- internals ----

  get #all(): readonly LanguageServer[] {
    return [...this.#own.values(), ...(this.#options.lasting?.servers.values() ?? [])];
  }

  async #usable(row: ServerRow, root: string, env: ExecutionEnvironment): Promise<UsableServer> {
    const { isTrusted, now, idleMs, lasting } = this.#options;
    if (this.#isClosed) throw new EnvError("closed", "the session has ended");
    const lastingPlace = await lasting?.placeFor(env);
    const place = lastingPlace ?? env;
    const { servers, warn } = lastingPlace && lasting ? lasting : { servers: this.#own, warn: this.#options.warn };
    const key = JSON.stringify([row, idleMs, root, place.identity, isTrusted()]);
    const search = this.#found.get(key) ?? programFor(row, root, place, isTrusted());
    this.#found.set(key, search);
    const found = await search;
    const { argv, variables } = found;
    if (argv === undefined) return found;
    const server =
      servers.get(key) ?? new LanguageServer({ key, row, argv, variables, root, env: place, now, idleMs, warn });
    servers.set(key, server);
    return { ...found, server };
  }
}

/** Whether this server handles all file types of the other. */
const answersFor = ({ isLinter, fileTypes }: ServerRow, other: ServerRow): boolean =>
  !isLinter && other.fileTypes.every((type) => fileTypes.includes(type));
