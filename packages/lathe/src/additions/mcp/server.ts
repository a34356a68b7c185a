// One configured server over all sessions that use it: connected when needed, restarted when it crashes, always asked
// with a deadline. Whatever it does, the worst result here is a failed request.

import type { ExecutionEnvironment } from "@lathe/agent";
import type { ClientDeps } from "@lathe/llm";
import type { AuthProvider, Client, Progress, RequestOptions } from "@modelcontextprotocol/client";
import type { Connected, ServerQuestions } from "./client.ts";
import {
  MOST_RESTARTS,
  PROGRESS_FACTOR,
  REQUEST_TIMEOUT_MS,
  restartDelayMs,
  START_TIMEOUT_MS,
  STEADY_MS,
} from "./limits.ts";
import { problemOf } from "./problem.ts";
import type { Definitions, ServerConfig, ServerState } from "./types.ts";
import type { ValueSources } from "./values.ts";

/** What a server needs from its host. */
export interface ServerHost {
  readonly env: () => ExecutionEnvironment | Promise<ExecutionEnvironment>;
  readonly values: ValueSources;
  readonly roots: () => readonly string[];
  readonly deps: Pick<ClientDeps, "now" | "setTimer">;
  readonly version: string;
  /** A timeout for every server, whatever its configuration says. */
  readonly timeoutMs?: number | undefined;
  auth(config: ServerConfig): Promise<AuthProvider | undefined>;
  hooks(server: Server): ServerQuestions;
  onDefinitions(server: Server, definitions: Definitions): void;
  onBroken(server: Server, tools: readonly string[]): void;
  onState(server: Server): void;
}

/** We have our own timer, because the package's cannot pause while the user answers. */
const NO_TIMEOUT = 2 ** 31 - 1;
const PING_TIMEOUT_MS = 5_000;

export class Server {
  readonly config: ServerConfig;
  readonly #host: ServerHost;
  #state: ServerState = { kind: "waiting" };
  #connecting: Promise<Connected> | undefined;
  #connected: Connected | undefined;
  #connectedAt = 0;
  #failures = 0;
  #restart: { cancel(): void } | undefined;
  /** Open questions of the server to the user or the model; our requests do not time out meanwhile. */
  #asking = 0;
  #requests = 0;
  /** The server's questions during our requests. */
  readonly #questions = new Set<AbortController>();
  #isClosed = false;
  #neededScope: string | undefined;
  /**
   * The controller of the last request, if it did not abort. Creating one per call, or AbortSignal.any, takes a tenth
   * of a call's time.
   */
  #spare: AbortController | undefined;

  constructor(config: ServerConfig, host: ServerHost) {
    this.config = config;
    this.#host = host;
    if (config.enabled === false) this.#state = { kind: "disabled" };
  }

  get name(): string {
    return this.config.name;
  }
  get state(): ServerState {
    return this.#state;
  }
  /** The scope that the server demanded when it refused a request. */
  get neededScope(): string | undefined {
    return this.#neededScope;
  }
  get timeoutMs(): number {
    return this.#host.timeoutMs ?? this.config.timeoutMs ?? REQUEST_TIMEOUT_MS;
  }

  /**
   * Begins another session: a server that the user turned off in the last one is on again, and one that failed is tried
   * again.
   */
  begin(): void {
    this.#failures = 0;
    if (this.#state.kind === "disabled" && this.config.enabled !== false) this.#set({ kind: "waiting" });
  }

  /** The existing connection, or a new one. Rejects with one line that says what is wrong. */
  connect(): Promise<Connected> {
    if (this.#connected) return Promise.resolve(this.#connected);
    this.#restart?.cancel();
    this.#connecting ??= this.#start().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Ends the connection, forgets failures and connects again. */
  async reconnect(): Promise<void> {
    await this.#disconnect();
    this.#failures = 0;
    this.#set({ kind: "waiting" });
    await this.connect();
  }

  async disable(): Promise<void> {
    await this.#disconnect();
    this.#set({ kind: "disabled" });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#disconnect();
  }

  /**
   * Sends one request within the server's timeout; progress reports and questions to the user extend it. If the server
   * does not even answer a ping afterwards, it is restarted.
   */
  async request<T>(
    signal: AbortSignal,
    work: (client: Client, options: RequestOptions) => Promise<T>,
    onProgress?: (progress: Progress) => void,
  ): Promise<T> {
    const { client } = this.#connected ?? (await waitUnlessAborted(signal, this.#usable()));
    signal.throwIfAborted();
    const ending = this.#spare ?? new AbortController();
    this.#spare = undefined;
    const onAbort = (): void => ending.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const { setTimer, now } = this.#host.deps;
    const { timeoutMs } = this;
    const latest = now() + timeoutMs * PROGRESS_FACTOR;
    let late: Error | undefined;
    let timer: { cancel(): void } | undefined;
    const arm = (): void => {
      timer?.cancel();
      if (timeoutMs > 0) timer = setTimer(expire, timeoutMs);
    };
    const expire = (): void => {
      if (this.#asking > 0) arm();
      else {
        late = new Error(`it did not answer within ${timeoutMs} ms`);
        ending.abort(late);
      }
    };
    const noteProgress = (progress: Progress): void => {
      if (now() < latest) arm();
      onProgress?.(progress);
    };
    arm();
    this.#requests += 1;
    try {
      return await work(client, { timeout: NO_TIMEOUT, signal: ending.signal, onprogress: noteProgress });
    } catch (error) {
      if (!late) throw this.#explainRefusal(error);
      void this.#restartIfHung(client);
      throw late;
    } finally {
      timer?.cancel();
      signal.removeEventListener("abort", onAbort);
      if (!ending.signal.aborted) this.#spare = ending;
      this.#requests -= 1;
      // The server's questions need no answer once the requests that caused them have ended.
      if (this.#requests === 0)
        for (const question of this.#questions) question.abort(new Error("the caller no longer waits for it"));
    }
  }

  /**
   * Answers a question of the server; its own requests do not time out meanwhile. The signal aborts when no request
   * needs the answer any more.
   */
  async ask<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const question = new AbortController();
    if (this.#requests > 0) this.#questions.add(question);
    this.#asking += 1;
    try {
      return await work(question.signal);
    } finally {
      this.#asking -= 1;
      this.#questions.delete(question);
    }
  }

  // ---- internals ----

  /** A token with too little scope needs another sign-in. */
  #explainRefusal(error: unknown): unknown {
    const { name, requiredScope } = error as { readonly name?: string; readonly requiredScope?: string };
    if (name !== "InsufficientScopeError") return error;
    this.#neededScope = requiredScope;
    this.#set({ kind: "signed-out" });
    return error;
  }

  async #usable(): Promise<Connected> {
    if (this.#state.kind === "disabled") throw new Error("it is turned off");
    if (!this.#connected && this.#failures > MOST_RESTARTS)
      throw new Error(`it failed ${this.#failures} times: ${reasonOf(this.#state)}`);
    return this.connect();
  }

  async #start(): Promise<Connected> {
    this.#set({ kind: "connecting" });
    const startTimeoutMs = this.config.startTimeoutMs ?? START_TIMEOUT_MS;
    const attempt = this.#open(startTimeoutMs);
    try {
      const connected = await this.#within(startTimeoutMs, attempt);
      if (this.#isClosed) throw new Error("the session has ended");
      this.#connected = connected;
      this.#connectedAt = this.#host.deps.now();
      this.#set({ kind: "connected", server: connected.label });
      this.#host.onDefinitions(this, connected.definitions);
      return connected;
    } catch (error) {
      // The connection may still come, but no caller waits for it.
      attempt.then((late) => late.close()).catch(() => {});
      this.#failures += 1;
      const isSignIn = (error as Error).name === "SignInNeeded";
      this.#set(isSignIn ? { kind: "signed-out" } : { kind: "failed", reason: problemOf(error) });
      throw error;
    }
  }

  async #open(startTimeoutMs: number): Promise<Connected> {
    const { env, values, roots, version, deps } = this.#host;
    const [{ connectServer }, auth] = await Promise.all([import("./with-package.ts"), this.#host.auth(this.config)]);
    return connectServer({
      config: this.config,
      env,
      values,
      roots: roots(),
      version,
      now: deps.now,
      auth,
      startTimeoutMs,
      hooks: {
        ...this.#host.hooks(this),
        onEnd: (reason) => this.#noteEnd(reason),
        onDefinitions: (definitions) => this.#host.onDefinitions(this, definitions),
        onBroken: (tools) => this.#host.onBroken(this, tools),
      },
    });
  }

  #within<T>(ms: number, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.#host.deps.setTimer(() => reject(new Error(`it did not start within ${ms} ms`)), ms);
      work.then(resolve, reject).finally(() => timer.cancel());
    });
  }

  /** Handles a connection that ended by itself: the server restarts after a delay that grows each time. */
  #noteEnd(reason: string | undefined): void {
    if (!this.#connected) return;
    if (reason === undefined) {
      this.#connected = undefined;
      this.#set({ kind: "waiting" });
      return;
    }
    const lasted = this.#host.deps.now() - this.#connectedAt;
    this.#connected = undefined;
    this.#failures = lasted >= STEADY_MS ? 1 : this.#failures + 1;
    this.#set({ kind: "failed", reason });
    if (this.#isClosed || this.#failures > MOST_RESTARTS) return;
    this.#restart = this.#host.deps.setTimer(() => {
      // A failure is in the server's state, which is reported.
      this.connect().catch(() => {});
    }, restartDelayMs(this.#failures));
  }

  async #restartIfHung(client: Client): Promise<void> {
    try {
      await client.ping({ timeout: Math.min(PING_TIMEOUT_MS, this.timeoutMs) });
    } catch {
      if (this.#connected?.client !== client) return;
      const hung = this.#connected;
      this.#noteEnd("it no longer answers");
      await hung.close();
    }
  }

  async #disconnect(): Promise<void> {
    this.#restart?.cancel();
    const connected = this.#connected ?? (await this.#connecting?.catch(() => undefined));
    this.#connected = undefined;
    await connected?.close();
  }

  #set(state: ServerState): void {
    this.#state = state;
    this.#host.onState(this);
  }
}

const reasonOf = (state: ServerState): string => (state.kind === "failed" ? state.reason : state.kind);

/** Stops waiting when the signal aborts; the work continues. */
function waitUnlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
