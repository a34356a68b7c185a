// The client's side of a local door: the Door interface over the socket. Requests share one connection; each reader has
// its own, so that a slow reader delays no reply.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { CommandData, CommandName, CommandParams } from "../../hosts/rpc/commands.ts";
import { Refusal } from "../../hosts/rpc/handler.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { AnswerOutcome, Dialog, DialogAnswer, Door, DoorClient, DoorFrame } from "../door/door.ts";
import { DoorMirror } from "../door/door-mirror.ts";
import { isDeadSocket } from "./dead-doors.ts";
import { type DoorRecord, listRecords, readRecord, removeRecord, removeSocket } from "./door-records.ts";
import { callerOf, type FromDoor, readLines, sendLine, type ToDoor } from "./lines.ts";

type Reply = Extract<FromDoor, { type: "reply" }>;

export class LocalDoor implements Door {
  readonly #path: string;
  readonly #connection: Socket;
  readonly #mirror: DoorMirror;
  readonly #waiting = new Map<number, (reply: Reply | undefined) => void>();
  readonly #readers = new Set<Socket>();
  #requests = 0;

  private constructor(path: string, { connection, welcome, lines }: Connected) {
    this.#path = path;
    this.#connection = connection;
    this.#mirror = new DoorMirror(welcome);
    void this.#readReplies(lines);
  }

  /** Rejects if nothing listens there. The signal ends the wait for a process that does not answer. */
  static async open(path: string, client: DoorClient, signal?: AbortSignal): Promise<LocalDoor> {
    return new LocalDoor(path, await connectAs(path, client, signal));
  }

  get sessionId(): string {
    return this.#mirror.sessionId;
  }
  get isBusy(): boolean {
    return this.#mirror.isBusy;
  }
  get questions(): readonly Dialog[] {
    return this.#mirror.questions;
  }

  async command<K extends CommandName>(client: DoorClient, name: K, params: CommandParams<K>): Promise<CommandData<K>> {
    const from = callerOf(client);
    return (await this.#request((id) => ({ type: "command", id, from, name, params }))) as CommandData<K>;
  }

  async answer(client: DoorClient, questionId: string, answer: DialogAnswer): Promise<AnswerOutcome> {
    const from = callerOf(client);
    return (await this.#request((id) => ({ type: "answer", id, from, questionId, answer }))) as AnswerOutcome;
  }

  /** Asks the process that holds the session to close it. Rejects with `Refusal` if it does not. */
  async release(client: DoorClient): Promise<void> {
    try {
      await this.#request((id) => ({ type: "release", id, from: callerOf(client) }));
    } catch (error) {
      // The door closes with the session, so the connection may end before the reply.
      if ((error as Refusal).code !== "closed") throw error;
    }
  }

  /** Rejects with `Refusal`. */
  askTeam(client: DoorClient, wish: object): Promise<unknown> {
    return this.#request((id) => ({ type: "team", id, from: callerOf(client), wish }));
  }

  /** Ends with the connection. If no `closed` frame came before, the other process has died. */
  follow(client: DoorClient, after?: number): AsyncIterableIterator<DoorFrame> {
    let hangUp = (): void => {};
    let isOver = false;
    const frames = this.#frames(client, after, (connection) => {
      hangUp = () => connection.destroy();
      if (isOver) hangUp();
    });
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => frames.next(),
      // A generator's own `return` would wait for its next frame.
      return: () => {
        isOver = true;
        hangUp();
        return frames.return(undefined);
      },
    };
  }

  async *#frames(
    client: DoorClient,
    after: number | undefined,
    onConnect: (connection: Socket) => void,
  ): AsyncGenerator<DoorFrame> {
    const { connection, lines } = await connectAs(this.#path, client);
    this.#readers.add(connection);
    onConnect(connection);
    try {
      sendLine(connection, { type: "follow", ...(after === undefined ? {} : { after }) });
      for await (const line of lines) {
        if (line.type !== "frame") continue;
        this.#mirror.take(line.frame);
        yield line.frame;
      }
    } finally {
      this.#readers.delete(connection);
      connection.destroy();
    }
  }

  /** Disconnects; the session goes on. */
  async close(): Promise<void> {
    for (const reader of this.#readers) reader.destroy();
    this.#connection.destroy();
  }

  #request(line: (id: number) => ToDoor): Promise<unknown> {
    const id = ++this.#requests;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (reply) => {
        this.#waiting.delete(id);
        if (reply && !("error" in reply)) resolve(reply.data);
        // The other side answered, so it is still there.
        else if (reply) reject(new Refusal(reply.error.code ?? "refused", reply.error.message));
        else reject(new Refusal("closed", GONE));
      });
      if (this.#connection.destroyed) this.#waiting.get(id)?.(undefined);
      else sendLine(this.#connection, line(id));
    });
  }

  async #readReplies(lines: AsyncIterable<FromDoor>): Promise<void> {
    for await (const line of lines) if (line.type === "reply") this.#waiting.get(line.id)?.(line);
    this.#connection.destroy();
    for (const settle of [...this.#waiting.values()]) settle(undefined);
  }
}

const GONE = "The process that held the session has ended.";

interface Connected {
  readonly connection: Socket;
  readonly welcome: Extract<FromDoor, { type: "welcome" }>;
  readonly lines: AsyncGenerator<FromDoor>;
}

async function connectAs(path: string, client: DoorClient, signal?: AbortSignal): Promise<Connected> {
  const connection = connect(path);
  await once(connection, "connect");
  // Errors need no handling here: the lines end when the connection does.
  connection.on("error", () => {});
  const hangUp = (): void => void connection.destroy();
  signal?.addEventListener("abort", hangUp, { once: true });
  sendLine(connection, { type: "hello", ...callerOf(client) });
  const lines = readLines<FromDoor>(connection);
  const first = await lines.next();
  signal?.removeEventListener("abort", hangUp);
  if (first.done || first.value.type !== "welcome") throw new Refusal("closed", GONE);
  return { connection, welcome: first.value, lines };
}

/** A suspended or hung process accepts connections but does not answer. */
const ANSWERS_WITHIN_MS = 5_000;

/**
 * Undefined if no process shares this session; what a dead process has left is removed. Without a signal, rejects with
 * a message for the user if the process does not answer in time.
 */
export async function joinLocally(
  folder: string,
  sessionId: string,
  client: DoorClient,
  signal?: AbortSignal,
): Promise<LocalDoor | undefined> {
  const record = readRecord(folder, sessionId);
  return record && openRecord(folder, record, client, signal);
}

/** The sessions of running processes that others can join. */
export async function localSessions(folder: string, client: DoorClient): Promise<readonly DoorRecord[]> {
  const records = listRecords(folder);
  const isThere = await Promise.all(records.map((record) => isLiving(folder, record, client)));
  return records.filter((_, at) => isThere[at]);
}

/** A process that does not answer counts as alive: joining it reports the problem. */
async function isLiving(folder: string, record: DoorRecord, client: DoorClient): Promise<boolean> {
  const within = AbortSignal.timeout(ANSWERS_WITHIN_MS);
  const door = await openRecord(folder, record, client, within);
  await door?.close();
  return door !== undefined || within.aborted;
}

async function openRecord(
  folder: string,
  record: DoorRecord,
  client: DoorClient,
  given?: AbortSignal,
): Promise<LocalDoor | undefined> {
  const signal = given ?? AbortSignal.timeout(ANSWERS_WITHIN_MS);
  try {
    return await LocalDoor.open(record.socket, client, signal);
  } catch (error) {
    if (signal.aborted && !given)
      throw usageError(
        `The session is open in process ${record.pid}, which does not answer. Check that process, or end it, then try again.`,
      );
    const { code } = error as NodeJS.ErrnoException;
    if (code === "closed") return undefined;
    if (!isDeadSocket(code)) throw error;
    removeRecord(folder, record);
    removeSocket(folder, record.socket);
    return undefined;
  }
}
