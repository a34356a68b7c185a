// Requests and events of the Debug Adapter Protocol, over the pipes of an adapter or a connection to its port.

import { ToolFailure } from "@lathe/agent";
import { isJsonObject, type JsonObject, messageOf } from "@lathe/llm";
import { encodeFrame, FrameReader } from "../lsp/frames.ts";
import type { AdapterHandlers, AdapterLink, RequestOptions } from "./adapter-link.ts";

export interface DapStream {
  /** The name in error messages. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  write(bytes: Uint8Array): Promise<void>;
  /** Why the stream has ended, once it has. */
  describeEnd(): Promise<string>;
  stop(): Promise<void>;
}

const END_MS = 1000;
const TIMEOUT_MS = 30_000;

interface Pending {
  settle(message: JsonObject): void;
  fail(why: Error): void;
}

export class DapConnection implements AdapterLink {
  readonly ended: Promise<string>;
  readonly #stream: DapStream;
  readonly #handlers: AdapterHandlers;
  readonly #pending = new Map<number, Pending>();
  #lastSeq = 0;
  #end: string | undefined;
  /** The error that ended it, if one did. */
  #endedBy: unknown;
  #resolveEnded: (why: string) => void = () => {};

  constructor(stream: DapStream, handlers: AdapterHandlers) {
    this.#stream = stream;
    this.#handlers = handlers;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    void this.#read();
  }

  async request(command: string, args?: object, options: RequestOptions = {}): Promise<JsonObject> {
    const { signal, timeoutMs = TIMEOUT_MS } = options;
    const { name } = this.#stream;
    signal?.throwIfAborted();
    if (this.#end !== undefined) throw this.#endFailure();
    const seq = ++this.#lastSeq;
    const answer = new Promise<JsonObject>((resolve, reject) => {
      const finish = (end: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        this.#pending.delete(seq);
        end();
      };
      const fail = (why: Error): void => finish(() => reject(why));
      const abort = (): void => fail(signal?.reason as Error);
      const timer = setTimeout(
        () => fail(new ToolFailure(`The debugger ${name} did not answer ${command} within ${timeoutMs / 1000} s.`)),
        timeoutMs,
      );
      signal?.addEventListener("abort", abort, { once: true });
      this.#pending.set(seq, {
        fail,
        settle: (message) =>
          finish(() =>
            message["success"] === false
              ? reject(new ToolFailure(`${name}: ${describeRefusal(message)}`))
              : resolve(objectIn(message["body"])),
          ),
      });
    });
    this.#send({ seq, type: "request", command, ...(args === undefined ? {} : { arguments: args }) });
    return answer;
  }

  stop(): Promise<void> {
    return this.#stream.stop();
  }

  // ---- internals ----

  #send(message: object): void {
    if (this.#end !== undefined) return;
    this.#stream.write(encodeFrame(message)).catch((error) => {
      // How the program ended says more than the failed write, and we will know it in a moment.
      setTimeout(() => this.#close(messageOf(error)), END_MS).unref();
    });
  }

  async #read(): Promise<void> {
    const reader = new FrameReader();
    try {
      for await (const bytes of this.#stream.bytes)
        for (const message of reader.push(bytes)) this.#receive(objectIn(message));
    } catch (error) {
      this.#endedBy = error;
      this.#close(messageOf(error));
      await this.#stream.stop();
      return;
    }
    this.#close(await this.#stream.describeEnd());
  }

  #receive(message: JsonObject): void {
    const { type, event, body } = message;
    if (type === "response") this.#pending.get(Number(message["request_seq"]))?.settle(message);
    else if (type === "event") this.#handlers.event(String(event), objectIn(body));
    else if (type === "request") void this.#answer(message);
  }

  async #answer({ seq: request_seq, command, arguments: args }: JsonObject): Promise<void> {
    const response = { seq: ++this.#lastSeq, type: "response", request_seq, command };
    try {
      const body = await this.#handlers.request(String(command), objectIn(args));
      this.#send({ ...response, success: true, body });
    } catch (error) {
      this.#send({ ...response, success: false, message: messageOf(error) });
    }
  }

  #close(why: string): void {
    if (this.#end !== undefined) return;
    this.#end = why;
    for (const { fail } of [...this.#pending.values()]) fail(this.#endFailure());
    this.#resolveEnded(why);
  }

  #endFailure(): ToolFailure {
    const failure = new ToolFailure(`The debugger ${this.#stream.name} has ended: ${this.#end}`);
    failure.cause = this.#endedBy;
    return failure;
  }
}

const objectIn = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** The detailed reason if there is one, with its variables filled in. */
function describeRefusal({ message, body }: JsonObject): string {
  const error = objectIn(objectIn(body)["error"]);
  const variables = objectIn(error["variables"]);
  const format = typeof error["format"] === "string" ? error["format"] : String(message ?? "no reason given");
  return format.replace(/\{(\w+)\}/g, (whole, name) => String(variables[name] ?? whole)).trim();
}
