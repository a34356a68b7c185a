// All language servers of a session and its agents: one process for each row, root and environment.

import { abortAfter } from "@lathe/agent/base";
import { EnvError, type ExecutionEnvironment } from "@lathe/agent/world";
import { type FittingServer, isFor, programFor, rootFor } from "./find-servers.ts";
import { LanguageServer } from "./language-server.ts";
import { EVERYWHERE, type ServerRow } from "./server-rows.ts";

export interface LanguageServersOptions {
  readonly rows: readonly ServerRow[];
  /** The project's folder. An agent that works in a part of it has the servers of the whole. */
  readonly top?: string | undefined;
  readonly isTrusted: () => boolean;
  readonly now: () => number;
  readonly idleMs?: number | undefined;
  readonly warn: (message: string) => void;
}

const WARM_UP_MS = 5000;

/** A server that may be used, or why it is not. */
export interface UsableServer extends FittingServer {
  readonly server?: LanguageServer;
}

export class LanguageServers {
  readonly #options: LanguageServersOptions;
  readonly #servers = new Map<string, LanguageServer>();
  /** What was found for a row and root: programs do not come and go while a session runs. */
  readonly #found = new Map<string, Promise<FittingServer>>();
  #isClosed = false;

  constructor(options: LanguageServersOptions) {
    this.#options = options;
  }

  get rows(): readonly ServerRow[] {
    return this.#options.rows;
  }

  /** Those for a file, those that know definitions first. Of several of these only the first one that runs counts. */
  async forFile(path: string, env: ExecutionEnvironment): Promise<UsableServer[]> {
    const fitting: UsableServer[] = [];
    for (const row of this.rows.filter((one) => isFor(one, path))) {
      if (!row.isLinter && fitting.some(({ row: other, server }) => !other.isLinter && server)) continue;
      const root = await rootFor(row, path, env, this.#options.top);
      if (root !== undefined) fitting.push(await this.#usable(row, root, env));
    }
    return fitting.sort((a, b) => Number(a.row.isLinter ?? false) - Number(b.row.isLinter ?? false));
  }

  /** Those that the project's folder calls for. */
  async forProject(env: ExecutionEnvironment): Promise<UsableServer[]> {
    const fitting: UsableServer[] = [];
    for (const row of this.rows) {
      const root = await rootFor(row, `${env.workingDirectory()}/.`, env, this.#options.top);
      if (root === undefined) continue;
      const other = row.isLinter ? undefined : fitting.find((one) => one.server && answersFor(one.row, row));
      if (other) continue;
      const found = await this.#usable(row, root, env);
      // One that is not installed is worth a word only where something asks for it.
      const markers = row.rootMarkers.filter((marker) => !EVERYWHERE.has(marker));
      if (!found.isMissing || (await rootFor({ ...row, rootMarkers: markers }, `${root}/.`, env, this.#options.top)))
        fitting.push(found);
    }
    return fitting;
  }

  /** Starts those of the project. What goes wrong is said when one is used. */
  async warmUp(env: ExecutionEnvironment): Promise<void> {
    const signal = abortAfter(WARM_UP_MS);
    const fitting = await this.forProject(env);
    await Promise.allSettled(fitting.map(({ server }) => server?.use(signal)));
  }

  /** Those that run now. */
  get running(): readonly LanguageServer[] {
    return [...this.#servers.values()].filter(({ live }) => live !== undefined);
  }

  /** Those that have been started at some time, also those that have ended or are off. */
  get started(): readonly LanguageServer[] {
    return [...this.#servers.values()].filter(({ state }) => state !== "not started");
  }

  /** Ends one, so that the next use starts it anew. */
  async restart(server: LanguageServer): Promise<void> {
    for (const [key, known] of this.#servers) if (known === server) this.#servers.delete(key);
    this.#found.clear();
    await server.stop();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#servers.values()].map((server) => server.stop()));
    this.#servers.clear();
  }

  // ---- inside ----

  async #usable(row: ServerRow, root: string, env: ExecutionEnvironment): Promise<UsableServer> {
    const { isTrusted, now, idleMs, warn } = this.#options;
    if (this.#isClosed) throw new EnvError("closed", "the session has ended");
    const key = JSON.stringify([row.name, root, env.identity, isTrusted()]);
    const search = this.#found.get(key) ?? programFor(row, root, env, isTrusted());
    this.#found.set(key, search);
    const found = await search;
    const { argv, variables } = found;
    if (argv === undefined) return found;
    const server =
      this.#servers.get(key) ?? new LanguageServer({ key, row, argv, variables, root, env, now, idleMs, warn });
    this.#servers.set(key, server);
    return { ...found, server };
  }
}

/** Whether all files of the other are its own. */
const answersFor = ({ isLinter, fileTypes }: ServerRow, other: ServerRow): boolean =>
  !isLinter && other.fileTypes.every((type) => fileTypes.includes(type));
