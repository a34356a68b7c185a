// One connection to a browser, shared by several clients. Each client gets a session with the browser itself: it sees the browser as if
// it had a connection of its own, and cannot speak to sessions that another client attached.

import { byteLines } from "@lathe/agent/world";

const LARGEST_MESSAGE = 256 << 20;
/** How Chromium ends a message that belongs to a session. */
const OF_SESSION = /,"sessionId":"(\w+)"\}$/;
const LONGEST_END = 64;
const NO_SESSION = { code: -32001, message: "Session with given id not found." };

/** Where the browser's messages come from and go to: a pipe or a WebSocket. */
export interface CdpChannel {
  readonly messages: AsyncIterable<string>;
  send(message: string): Promise<void>;
}

/** The shape that puppeteer expects of a `ConnectionTransport`. */
export interface CdpClient {
  send(message: string): void;
  /** Ends the sessions of this client; the browser and its pages stay. */
  close(): void;
  onmessage?: (message: string) => void;
  onclose?: () => void;
}

interface Command {
  readonly id: number;
  readonly method: string;
  readonly params?: unknown;
  readonly sessionId?: string;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Event {
  readonly method: string;
  readonly params?: { readonly sessionId?: string };
  readonly sessionId?: string;
}

/** Who waits for an answer: we ourselves, or a client that knows the command by its own number. */
type Waiting = ((answer: Answer) => void) | { readonly client: CdpClient; readonly root: string; readonly id: number };

/** The messages of `--remote-debugging-pipe` end with a zero byte. */
export function pipeChannel(process: {
  readonly stdout: AsyncIterable<Uint8Array>;
  write(bytes: string): Promise<void>;
}): CdpChannel {
  return {
    messages: byteLines(process.stdout, LARGEST_MESSAGE, 0),
    send: (message) => process.write(`${message}\0`),
  };
}

export class CdpLink {
  /** Resolves when the browser's side has ended, for any reason. */
  readonly ended: Promise<void>;
  readonly #channel: CdpChannel;
  /** Each client, with its session with the browser. */
  readonly #clients = new Map<CdpClient, string>();
  /** The client that attached each session. */
  readonly #owners = new Map<string, CdpClient>();
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #sending: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(channel: CdpChannel) {
    this.#channel = channel;
    this.ended = this.#read();
  }

  /** Opens a client with sessions of its own. */
  async open(): Promise<CdpClient> {
    const { sessionId } = (await this.call("Target.attachToBrowserTarget")) as { sessionId: string };
    const client: CdpClient = {
      send: (message) => this.#forward(client, sessionId, message),
      close: () => this.#close(client),
    };
    this.#clients.set(client, sessionId);
    this.#owners.set(sessionId, client);
    return client;
  }

  /** Sends a command of ours to the browser. */
  async call(method: string, params: object = {}): Promise<unknown> {
    const { result, error } = await new Promise<Answer>((resolve) => this.#send(resolve, { method, params }));
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  #forward(client: CdpClient, root: string, text: string): void {
    const { id, ...command } = JSON.parse(text) as Command;
    const sessionId = command.sessionId ?? root;
    if (this.#owners.get(sessionId) === client) this.#send({ client, root, id }, { ...command, sessionId });
    else queueMicrotask(() => client.onmessage?.(JSON.stringify({ ...command, id, error: NO_SESSION })));
  }

  #send(waiting: Waiting, command: Omit<Command, "id">): void {
    const id = ++this.#lastId;
    this.#waiting.set(id, waiting);
    if (this.#isOver) {
      this.#endWaiting();
      return;
    }
    // One write at a time: the pipe limits how much may be queued. If a write fails, the end of the browser is the
    // answer.
    const message = JSON.stringify({ id, ...command });
    this.#sending = this.#sending.then(() => this.#channel.send(message)).catch(() => {});
  }

  #close(client: CdpClient): void {
    const root = this.#clients.get(client);
    if (root === undefined) return;
    this.#clients.delete(client);
    for (const [session, owner] of this.#owners) if (owner === client) this.#owners.delete(session);
    for (const [id, waiting] of this.#waiting)
      if ("client" in waiting && waiting.client === client) this.#waiting.delete(id);
    // The sessions that were attached through this client end with it.
    if (!this.#isOver) this.call("Target.detachFromTarget", { sessionId: root }).catch(() => {});
    client.onclose?.();
  }

  async #read(): Promise<void> {
    try {
      for await (const text of this.#channel.messages) this.#receive(text);
    } catch {
      // A broken connection is an end like any other: the owner of the process knows how it ended.
    }
    this.#isOver = true;
    this.#endWaiting();
    for (const client of [...this.#clients.keys()]) this.#close(client);
  }

  #receive(text: string): void {
    const [start, id] = /^\{"id":(\d+),/.exec(text) ?? [];
    if (start === undefined) this.#hear(text);
    else this.#answer(Number(id), text, start);
  }

  #hear(text: string): void {
    const [, ofSession = ""] = OF_SESSION.exec(text.slice(-LONGEST_END)) ?? [];
    const owner = this.#owners.get(ofSession);
    // Only events of targets change which client owns a session, and only messages of a client's browser session are
    // rewritten: all others pass unparsed.
    if (owner && this.#clients.get(owner) !== ofSession && !text.startsWith('{"method":"Target.')) {
      owner.onmessage?.(text);
      return;
    }
    const { sessionId = "", ...event } = JSON.parse(text) as Event;
    const client = this.#owners.get(sessionId);
    if (client === undefined) return;
    const child = event.params?.sessionId;
    if (event.method === "Target.attachedToTarget" && child !== undefined) this.#owners.set(child, client);
    client.onmessage?.(this.#clients.get(client) === sessionId ? JSON.stringify(event) : text);
    if (event.method === "Target.detachedFromTarget" && child !== undefined) this.#owners.delete(child);
  }

  /**
   * Takes the answer apart as text instead of parsing it, because it may hold a picture. Its number always comes first.
   */
  #answer(id: number, text: string, start: string): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting === undefined) return;
    if ("client" in waiting) {
      const rootEnd = `,"sessionId":"${waiting.root}"}`;
      const rest = text.slice(start.length);
      const own = rest.endsWith(rootEnd) ? `${rest.slice(0, -rootEnd.length)}}` : rest;
      waiting.client.onmessage?.(`{"id":${waiting.id},${own}`);
    } else waiting(JSON.parse(text) as Answer);
  }

  #endWaiting(): void {
    for (const waiting of this.#waiting.values())
      if (!("client" in waiting)) waiting({ error: { message: "The browser has ended." } });
    this.#waiting.clear();
  }
}
