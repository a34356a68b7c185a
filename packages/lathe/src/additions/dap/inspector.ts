// Requests and events of Node's inspector (the Chrome DevTools Protocol) on a port where commands run.

import { ToolFailure } from "@lathe/agent";
import type { ExecutionEnvironment } from "@lathe/agent/world";
import { isJsonObject, type JsonObject } from "@lathe/llm";
import { WebSocketStream } from "../websocket.ts";

const TIMEOUT_MS = 30_000;

interface Pending {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

export class Inspector {
  readonly ended: Promise<void>;
  readonly #socket: WebSocketStream;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #hasEnded = false;

  private constructor(socket: WebSocketStream, onEvent: (method: string, params: JsonObject) => void) {
    this.#socket = socket;
    this.ended = this.#read(onEvent);
  }

  static async open(
    env: ExecutionEnvironment,
    { port, path }: { readonly port: number; readonly path: string },
    onEvent: (method: string, params: JsonObject) => void,
  ): Promise<Inspector> {
    const stream = await env.connect(port);
    return new Inspector(await WebSocketStream.open(stream, path, `127.0.0.1:${port}`), onEvent);
  }

  send(method: string, params: object = {}): Promise<JsonObject> {
    if (this.#hasEnded) return Promise.reject(new ToolFailure("The program has ended."));
    const id = ++this.#lastId;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => settle(() => reject(new ToolFailure(`Node did not answer ${method} within ${TIMEOUT_MS / 1000} s.`))),
        TIMEOUT_MS,
      );
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        this.#pending.delete(id);
        end();
      };
      this.#pending.set(id, {
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
      });
    });
  }

  close(): void {
    this.#socket.close();
  }

  async #read(onEvent: (method: string, params: JsonObject) => void): Promise<void> {
    try {
      for await (const text of this.#socket.messages) {
        const message: unknown = JSON.parse(text);
        if (isJsonObject(message)) this.#receive(message, onEvent);
      }
    } catch {
      // A broken connection means that the program ended; its exit tells how.
    }
    this.#hasEnded = true;
    for (const { reject } of [...this.#pending.values()]) reject(new ToolFailure("The program has ended."));
  }

  #receive({ id, method, params, result, error }: JsonObject, onEvent: (m: string, p: JsonObject) => void): void {
    if (typeof method === "string") {
      onEvent(method, isJsonObject(params) ? params : {});
      return;
    }
    const pending = this.#pending.get(Number(id));
    if (isJsonObject(error)) pending?.reject(new ToolFailure(`Node: ${String(error["message"])}`));
    else pending?.resolve(isJsonObject(result) ? result : {});
  }
}
