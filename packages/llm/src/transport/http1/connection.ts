// One socket, and whoever reads from it at the moment: a dialer, then an exchange, then the pool, then an exchange again.

import type { Socket } from "node:net";

export interface Reader {
  bytes(bytes: Buffer): void;
  /** The connection is of no use any more; without a cause the other side ended it properly. Called at most once. */
  gone(cause: Error | undefined): void;
}

const NOBODY: Reader = { bytes: () => {}, gone: () => {} };

/**
 * As node's own agents have it: the system looks after connections that nothing has moved on for so long. Said when a socket
 * is made: asked of one that is connecting, it would be done between the connection and the request.
 */
export const SOCKET_OPTIONS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 } as const;

export class Connection {
  readonly #socket: Socket;
  #reader: Reader;
  #gone: { readonly cause: Error | undefined } | undefined;
  #isRead = false;

  constructor(socket: Socket, reader: Reader) {
    this.#socket = socket;
    this.#reader = reader;
    socket.on("error", (cause) => this.#lose(cause));
    socket.on("end", () => this.#lose(undefined));
    socket.on("close", () => this.#lose(undefined));
    socket.on("timeout", () => socket.destroy());
  }

  /** All that was written has been handed to the system. */
  get flushed(): boolean {
    return this.#socket.writableLength === 0;
  }

  /** Sends the pieces without copying them into one. */
  send(pieces: readonly Uint8Array[], reader: Reader): void {
    this.#reader = reader;
    if (this.#gone !== undefined) {
      reader.gone(this.#gone.cause);
      return;
    }
    const several = pieces.length > 1;
    if (several) this.#socket.cork();
    for (const piece of pieces) this.#socket.write(piece);
    if (several) this.#socket.uncork();
    this.#socket.setTimeout(0);
    this.#socket.ref();
    this.#read();
  }

  /** After the first request is out: somebody waits for it, and nothing can be read before it is answered. */
  #read(): void {
    if (this.#isRead) return;
    this.#isRead = true;
    this.#socket.on("data", (bytes) => this.#reader.bytes(bytes));
  }

  /** Nothing is expected on it any more, and it keeps no process alive. */
  rest(reader: Reader, idleMs: number): void {
    this.#reader = reader;
    this.#socket.resume();
    this.#socket.setTimeout(idleMs);
    this.#socket.unref();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** At once, whatever is still to be sent. The reader hears nothing of it. */
  close(): void {
    this.#reader = NOBODY;
    this.#socket.destroy();
  }

  #lose(cause: Error | undefined): void {
    if (this.#gone !== undefined) return;
    this.#gone = { cause };
    this.#reader.gone(cause);
  }
}
