// A language server of one root: started with its first use and again after a crash, stopped when idle. If it cannot
// run, callers get the reason at once and do not wait.

import { EnvError, type ExecutionEnvironment, type ProgramArgv } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";
import { LiveServer } from "./live-server.ts";
import { NoAnswer } from "./rpc-connection.ts";
import type { ServerRow } from "./server-row.ts";

export interface LanguageServerOptions {
  /** Identifies the server, even across restarts. */
  readonly key: string;
  readonly row: ServerRow;
  readonly argv: ProgramArgv;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly root: string;
  readonly env: ExecutionEnvironment;
  readonly now: () => number;
  /** If absent, it runs as long as its environment. */
  readonly idleMs?: number | undefined;
  /** Tells the user something once. */
  readonly warn: (message: string) => void;
}

export type ServerState = "not started" | "starting" | "running" | "crashed" | "off";

const CRASH_WINDOW_MS = 60_000;
const MOST_CRASHES = 3;

export class LanguageServer {
  readonly #options: LanguageServerOptions;
  readonly #crashes: number[] = [];
  #starting: Promise<LiveServer> | undefined;
  #live: LiveServer | undefined;
  #off: string | undefined;
  #lastCrash: string | undefined;
  #idle: NodeJS.Timeout | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: LanguageServerOptions) {
    this.#options = options;
  }

  get row(): ServerRow {
    return this.#options.row;
  }

  get key(): string {
    return this.#options.key;
  }

  get root(): string {
    return this.#options.root;
  }

  get state(): ServerState {
    if (this.#off !== undefined) return "off";
    if (this.#live !== undefined) return "running";
    if (this.#starting !== undefined) return "starting";
    return this.#lastCrash === undefined ? "not started" : "crashed";
  }

  /** Why it is off, or how it last ended. */
  get why(): string | undefined {
    return this.#off ?? this.#lastCrash;
  }

  /** The running server; this does not start one. */
  get live(): LiveServer | undefined {
    return this.#live;
  }

  /** The running server, started if needed. Fails with NoAnswer if it cannot run now; `message` says why. */
  async use(signal?: AbortSignal): Promise<LiveServer> {
    this.#keepAwake();
    if (this.#live !== undefined) return this.#live;
    if (this.#off !== undefined) throw new NoAnswer(this.#off);
    if (this.#options.env.hasRoom?.(0) === false) throw new NoAnswer("it waits for memory");
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return abortable(this.#starting, signal);
  }

  /** Runs one task after the other, because each shows the server its own texts. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {}); // the caller gets the error
    return mine;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    const live = this.#live ?? (await this.#starting?.catch(() => undefined));
    this.#live = undefined;
    await live?.stop();
  }

  // ---- internals ----

  async #start(): Promise<LiveServer> {
    const { row, argv, variables, root, env } = this.#options;
    if (env.startProcess === undefined) throw this.#turnOff("programs cannot be started here");
    try {
      const process = await env.startProcess(argv, { cwd: root, env: { ...row.env, ...variables } });
      const live = await LiveServer.start({ row, root, env, process });
      this.#live = live;
      void live.connection.ended.then((why) => {
        if (this.#live !== live) return;
        this.#live = undefined;
        this.#noteCrash(why);
      });
      return live;
    } catch (error) {
      if (error instanceof EnvError && error.code === "not_found") throw this.#turnOff(messageOf(error));
      this.#noteCrash(messageOf(error));
      throw new NoAnswer(`it did not start: ${messageOf(error)}`);
    }
  }

  #noteCrash(why: string): void {
    const now = this.#options.now();
    this.#lastCrash = why;
    this.#crashes.push(now);
    const recent = this.#crashes.filter((at) => now - at < CRASH_WINDOW_MS);
    if (recent.length >= MOST_CRASHES) this.#turnOff(`it ended ${MOST_CRASHES} times within a minute: ${why}`);
  }

  #turnOff(why: string): NoAnswer {
    if (this.#off === undefined) this.#options.warn(`The language server ${this.row.name} is off: ${why}`);
    this.#off = why;
    return new NoAnswer(why);
  }

  #keepAwake(): void {
    const { idleMs } = this.#options;
    clearTimeout(this.#idle);
    if (idleMs === undefined) return;
    const { questions: before = 0 } = this.#live?.connection ?? {};
    this.#idle = setTimeout(() => {
      const { isBusy = false, questions = 0 } = this.#live?.connection ?? {};
      if (this.#starting || isBusy || questions > before) this.#keepAwake();
      else void this.stop();
    }, idleMs);
    this.#idle.unref();
  }
}

function abortable<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
