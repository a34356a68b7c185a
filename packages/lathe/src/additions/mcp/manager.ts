// The servers of successive sessions: when each one starts, and which of their tools are offered. Tools that arrive
// after the first request are offered together, so that the cached prompt is lost only once (DESIGN 3).

import type { ClientDeps } from "@lathe/llm";
import type { ServerTool } from "../tool-search/tool-search.ts";
import type { DefinitionCache } from "./cache.ts";
import { FIRST_REQUEST_WAIT_MS, MOST_LIST_CHANGES } from "./limits.ts";
import { Server, type ServerHost } from "./server.ts";
import { mcpTool } from "./tools.ts";
import type { Definitions, ServerConfig } from "./types.ts";

export interface ManagerOptions {
  readonly configs: readonly ServerConfig[];
  readonly cache: DefinitionCache;
  readonly deps: Pick<ClientDeps, "now" | "setTimer">;
  readonly host: Omit<ServerHost, "onDefinitions" | "onBroken" | "onState" | "deps">;
  /**
   * Whether the first request waits until every server has started or failed, because no user is there who could use
   * the tools later.
   */
  readonly waitsForStart: boolean;
  readonly warn: (message: string, code: string) => void;
}

/** Definitions older than this are refreshed in the background, even if no user is present. */
const OLD_MS = 24 * 60 * 60_000;

export class ServerManager {
  readonly servers: readonly Server[];
  readonly #options: ManagerOptions;
  readonly #entries = new Map<string, Entry>();
  /** Servers that start for the first time in this session. */
  readonly #starting = new Map<Server, Promise<void>>();
  readonly #timers: { cancel(): void }[] = [];
  readonly #warned = new Set<string>();
  /** Called when a server's offer has changed. */
  onDefinitions: () => void = () => {};
  #tools: readonly ServerTool[] | undefined;
  #hasSent = false;
  #isClosed = false;
  #settle = (): void => {};
  /** Files being written: even a short session must finish them, so that the next one knows its servers. */
  readonly #writes = new Set<Promise<void>>();

  constructor(options: ManagerOptions) {
    this.#options = options;
    this.servers = options.configs.map((config) => {
      const server = new Server(config, {
        ...options.host,
        deps: options.deps,
        onDefinitions: (from, definitions) => this.#takeDefinitions(from, definitions),
        onBroken: (of, tools) => this.#warn(of, brokenText(tools)),
        onState: (of) => this.#noteChange(of),
      });
      const kept = config.enabled === false ? undefined : options.cache.read(config);
      this.#entries.set(server.name, {
        offered: kept?.definitions,
        latest: kept?.definitions,
        savedAt: kept?.savedAt ?? 0,
        changes: 0,
        made: new Map(),
      });
      return server;
    });
  }

  /**
   * Begins a session. Starts unknown servers at once and known ones a little later, because the first request comes
   * first.
   */
  open(): void {
    this.#hasSent = false;
    this.#warned.clear();
    for (const server of this.servers) server.begin();
    for (const entry of this.#entries.values()) entry.changes = 0;
    this.#tools = undefined;
    this.#offerLatest();
    const { deps, waitsForStart } = this.#options;
    const enabled = this.servers.filter(({ state }) => state.kind !== "disabled");
    for (const server of enabled) if (!this.#entry(server).offered) this.#start(server);
    const known = enabled.filter((server) => this.#entry(server).offered && (!waitsForStart || this.#isOld(server)));
    if (known.length === 0) return;
    const later = deps.setTimer(() => {
      for (const server of known) this.#start(server);
    }, FIRST_REQUEST_WAIT_MS);
    this.#timers.push(later);
  }

  /** Called before the first request; true if tools arrived while we waited. */
  async ready(signal: AbortSignal): Promise<boolean> {
    if (this.#hasSent) return false;
    const isWaiting = [...this.#starting.keys()].some((server) => !this.#entry(server).offered);
    const before = this.#tools;
    if (isWaiting) await this.#waitForStarting(signal);
    this.#hasSent = true;
    return this.tools() !== before;
  }

  /** Resolves when every starting server has connected or failed. Each has its own deadline. */
  async waitUntilStarted(): Promise<void> {
    await Promise.all(this.#starting.values());
  }

  /** Returns the same array until something changes. */
  tools(): readonly ServerTool[] {
    this.#tools ??= this.servers.flatMap((server) => this.#toolsOf(server));
    return this.#tools;
  }

  definitions(server: Server): Definitions | undefined {
    return server.state.kind === "disabled" ? undefined : this.#entry(server).latest;
  }

  server(name: string): Server | undefined {
    return this.servers.find((server) => server.name === name);
  }

  async enable(server: Server): Promise<void> {
    await server.reconnect();
    this.#offerLatest();
  }

  async disable(server: Server): Promise<void> {
    await server.disable();
    this.#tools = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) timer.cancel();
    await Promise.all(this.servers.map((server) => server.close()));
    await Promise.all(this.#writes);
  }

  // ---- internals ----

  #entry(server: Server): Entry {
    return this.#entries.get(server.name) as Entry;
  }

  #isOld(server: Server): boolean {
    return this.#options.deps.now() - this.#entry(server).savedAt > OLD_MS;
  }

  #start(server: Server): void {
    if (this.#isClosed || server.state.kind !== "waiting") return;
    const connected = server
      .connect()
      // A failure is in the server's state and was reported there.
      .then(
        () => {},
        () => {},
      )
      .finally(() => {
        this.#starting.delete(server);
        if (this.#starting.size > 0) return;
        this.#offerLatest();
        this.#settle();
      });
    this.#starting.set(server, connected);
  }

  /** Each server has its own deadline; if a user waits, all together have a short one. */
  #waitForStarting(signal: AbortSignal): Promise<void> {
    const { deps, waitsForStart } = this.#options;
    return new Promise((resolve) => {
      const timer = waitsForStart ? undefined : deps.setTimer(finish, FIRST_REQUEST_WAIT_MS);
      function finish(): void {
        timer?.cancel();
        signal.removeEventListener("abort", finish);
        resolve();
      }
      this.#settle = finish;
      signal.addEventListener("abort", finish, { once: true });
    });
  }

  /** What a server lists may contain its own secrets. They are known, because it gets them when it starts. */
  #takeDefinitions(server: Server, listed: Definitions): void {
    const definitions = this.#options.host.values.redact(listed);
    const entry = this.#entry(server);
    const isSame = JSON.stringify(entry.latest) === JSON.stringify(definitions);
    if (!isSame || this.#isOld(server)) this.#keep(server, definitions);
    if (isSame) return;
    entry.latest = definitions;
    this.onDefinitions();
    // Late tools wait for the other late servers.
    if (this.#hasSent && this.#starting.size > 0) return;
    if (this.#hasSent) entry.changes += 1;
    if (entry.changes <= MOST_LIST_CHANGES) this.#offer(entry);
    else
      this.#warn(server, `keeps changing its tools. Further changes are ignored until: /mcp reconnect ${server.name}`);
  }

  #offerLatest(): void {
    for (const entry of this.#entries.values()) if (entry.offered !== entry.latest) this.#offer(entry);
  }

  #offer(entry: Entry): void {
    entry.offered = entry.latest;
    this.#tools = undefined;
  }

  #keep(server: Server, definitions: Definitions): void {
    const { cache, deps } = this.#options;
    const savedAt = deps.now();
    this.#entry(server).savedAt = savedAt;
    const written = cache
      .write(server.config, { savedAt, definitions })
      .catch((error: unknown) => {
        this.#warn(server, `cannot be remembered for the next start: ${(error as Error).message}`);
      })
      .finally(() => this.#writes.delete(written));
    this.#writes.add(written);
  }

  /** An unchanged tool stays the same object, and so keeps its position in the cached prefix. */
  #toolsOf(server: Server): ServerTool[] {
    if (server.state.kind === "disabled") return [];
    const { offered, made } = this.#entry(server);
    return (offered?.tools ?? []).map((listed) => {
      const key = JSON.stringify(listed);
      const known = made.get(listed.name);
      if (known?.key === key) return known.offered;
      const tool = { ...mcpTool(server, listed), ofServer: { tool: listed.name, server: server.name } };
      made.set(listed.name, { key, offered: tool });
      return tool;
    });
  }

  #noteChange(server: Server): void {
    const { state, name } = server;
    if (this.#isClosed) return;
    if (state.kind === "failed") this.#warn(server, `failed: ${state.reason}`);
    if (state.kind === "signed-out")
      this.#warn(server, `needs a sign-in. Run: /mcp login ${name}, or lathe mcp login ${name}`);
  }

  #warn({ name, config }: Server, message: string): void {
    const line = `MCP server ${name} (${config.file}) ${message}`;
    if (this.#warned.has(line)) return;
    this.#warned.add(line);
    this.#options.warn(line, `mcp:${name}`);
  }
}

const MOST_NAMED = 5;

function brokenText(tools: readonly string[]): string {
  const more = tools.length > MOST_NAMED ? ` and ${tools.length - MOST_NAMED} more` : "";
  const named = `${tools.slice(0, MOST_NAMED).join(", ")}${more}`;
  return `lists tools that are not described as the protocol says; they are left out: ${named}`;
}

interface Entry {
  /** The definitions that the model may know. */
  offered: Definitions | undefined;
  /** The server's latest definitions. */
  latest: Definitions | undefined;
  savedAt: number;
  changes: number;
  readonly made: Map<string, { readonly key: string; readonly offered: ServerTool }>;
}
