// Requests and notifications to and from one language server. The connection ends with the process, or when the server
// violates the protocol.

import type { ProcessExit, TwoWayProcess } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";
import { encodeFrame, FrameReader } from "./frames.ts";

/** The server answered with an error. */
export class ServerRefusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The server did not answer: it has ended, or was too slow. */
export class NoAnswer extends Error {}

/** The server is too slow; its answer may still come. */
export class LateAnswer extends NoAnswer {}

export interface IncomingHandlers {
  /** Returns the answer; the server gets an exception as an error. */
  request(method: string, params: unknown): unknown;
  notification(method: string, params: unknown): void;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

const END_MS = 1000;
const TIMEOUT_MS = 30_000;
export const METHOD_NOT_FOUND = -32601;
const LONGEST_LINE = 300;

interface Pending {
  settle(message: Message): void;
  fail(why: Error): void;
}

interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: number; readonly message?: string };
}

export class RpcConnection {
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<string>;
  readonly #process: TwoWayProcess;
  readonly #handlers: IncomingHandlers;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #end: string | undefined;
  #resolveEnded: (why: string) => void = () => {};

  constructor(process: TwoWayProcess, handlers: IncomingHandlers) {
    this.#process = process;
    this.#handlers = handlers;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    void this.#read();
  }

  /** Whether a request is still open. */
  get isBusy(): boolean {
    return this.#pending.size > 0;
  }

  /** Number of requests so far. */
  get questions(): number {
    return this.#lastId;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Without parameters, the field is left out, because some servers refuse null. */
  async request(method: string, params?: unknown, options: RequestOptions = {}): Promise<unknown> {
    const { signal, timeoutMs = TIMEOUT_MS } = options;
    signal?.throwIfAborted();
    if (this.#end !== undefined) throw new NoAnswer(this.#end);
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      const finish = (end: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", cancel);
        this.#pending.delete(id);
        end();
      };
      const giveUp = (why: Error): void => {
        this.#send({ method: "$/cancelRequest", params: { id } });
        finish(() => reject(why));
      };
      const cancel = (): void => giveUp(signal?.reason as Error);
      const timer = setTimeout(
        () => giveUp(new LateAnswer(`no answer to ${method} in ${timeoutMs / 1000} s`)),
        timeoutMs,
      );
      signal?.addEventListener("abort", cancel, { once: true });
      this.#pending.set(id, {
        settle: ({ result, error }) =>
          finish(() =>
            error ? reject(new ServerRefusal(error.code ?? 0, String(error.message ?? "no reason"))) : resolve(result),
          ),
        fail: (why) => finish(() => reject(why)),
      });
    });
    this.#send({ id, method, ...(params === undefined ? {} : { params }) });
    return answer;
  }

  notify(method: string, params?: unknown): void {
    this.#send({ method, ...(params === undefined ? {} : { params }) });
  }

  // ---- internals ----

  #send(message: object): void {
    if (this.#end !== undefined) return;
    // A server that does not read its input is as good as dead.
    this.#process.write(encodeFrame({ jsonrpc: "2.0", ...message })).catch((error) => {
      // How the program ended says more than the failed write, and we will know it in a moment.
      setTimeout(() => this.#close(messageOf(error)), END_MS).unref();
    });
  }

  async #read(): Promise<void> {
    const reader = new FrameReader();
    try {
      for await (const bytes of this.#process.stdout)
        for (const message of reader.push(bytes)) this.#receive((message ?? {}) as Message);
    } catch (error) {
      this.#close(messageOf(error));
      await this.#process.stop(0);
      return;
    }
    this.#close(describeExit(await this.#process.exited, this.#process.readStderr().text));
  }

  #receive({ id, method, params, result, error }: Message): void {
    if (method === undefined) {
      if (typeof id === "number") this.#pending.get(id)?.settle({ result, ...(error ? { error } : {}) });
      return;
    }
    if (id === undefined) this.#handlers.notification(method, params);
    else void this.#answer(id, method, params);
  }

  async #answer(id: Message["id"], method: string, params: unknown): Promise<void> {
    try {
      this.#send({ id, result: (await this.#handlers.request(method, params)) ?? null });
    } catch (error) {
      this.#send({ id, error: { code: METHOD_NOT_FOUND, message: messageOf(error) } });
    }
  }

  #close(why: string): void {
    if (this.#end !== undefined) return;
    this.#end = why;
    for (const { fail } of [...this.#pending.values()]) fail(new NoAnswer(why));
    this.#resolveEnded(why);
  }
}

function describeExit({ exitCode, signal, limitNote }: ProcessExit, stderr: string): string {
  if (limitNote !== undefined) return limitNote.replace(/^Ended/, "it was ended").replace(/\.$/, "");
  const lines = stderr.trim().split("\n");
  // Runtimes print the error first, and then its location or their own version.
  const cause = lines.findLast((line) => /error|fatal|panic/i.test(line)) ?? lines.at(-1);
  const last = cause?.trim().slice(0, LONGEST_LINE) ?? "";
  const how = signal === undefined ? `exited with code ${exitCode}` : `was ended by ${signal}`;
  return last === "" ? `it ${how}` : `it ${how}: ${last}`;
}
