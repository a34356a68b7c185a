// The local door of a session that this process holds: a socket that only this user can open. Other processes join the
// session through it; without it they would be refused because the session is locked.

import { chmodSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { type JsonObject, messageOf } from "@lathe/llm";
import { Refusal } from "../../hosts/rpc/handler.ts";
import type { Door, DoorClient, DoorFrame } from "../door/door.ts";
import { removeDeadDoors } from "./dead-doors.ts";
import { type DoorRecord, removeRecord, removeSocket, socketPlace, writeRecord } from "./door-records.ts";
import { clientOf, type FromDoor, readRequests, sendLine } from "./lines.ts";

/** A door that reports its frames to the process that serves it. SharedDoor implements it. */
export interface WatchedDoor extends Door {
  watch(watcher: (frame: DoorFrame) => void): () => void;
}

/** A session whose door opens with its first client, so that it costs nothing until then. */
export interface JoinableSession {
  readonly sessionId: string;
  /** Called once. */
  openDoor(): Promise<WatchedDoor>;
}

export interface LocalPlace {
  /** The `doors` folder of the home's paths. */
  readonly folder: string;
  readonly pid: number;
  /** The session's folder. */
  readonly cwd: string;
  /** Closes the session for a process that wants to open it. If absent, such requests are refused. */
  readonly release?: () => Promise<void>;
  /** Answers for the team that the session leads or belongs to. Absent if it can have none. */
  readonly team?: TeamAnswers | undefined;
}

/** Answers a request about a team, or rejects with an error for users. */
export type TeamAnswers = (wish: JsonObject) => Promise<unknown>;

export interface LocalDoorServer {
  readonly socket: string;
  /** Disconnects the clients; the session goes on. */
  close(): Promise<void>;
}

/** Listens until it is closed or the door closes. */
export async function listenLocally(door: WatchedDoor, place: LocalPlace): Promise<LocalDoorServer> {
  const { sessionId } = door;
  const listener = new Listener({ sessionId, openDoor: async () => door }, place);
  await listener.listen();
  await listener.door();
  return listener;
}

/** Like `listenLocally`, but opens the door only for the first client. The session cannot change. */
export async function listenForFirst(session: JoinableSession, place: LocalPlace): Promise<LocalDoorServer> {
  const listener = new Listener(session, place);
  await listener.listen();
  return listener;
}

class Listener implements LocalDoorServer {
  readonly socket: string;
  readonly #session: JoinableSession;
  readonly #folder: string;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  readonly #readers = new Set<Promise<void>>();
  #record: DoorRecord;
  #door: Promise<WatchedDoor> | undefined;
  #closing: Promise<void> | undefined;
  #unwatch: () => void = () => {};

  constructor(session: JoinableSession, { folder, pid, cwd, release, team }: LocalPlace) {
    this.#session = session;
    this.#folder = folder;
    this.socket = socketPlace(folder, pid);
    this.#record = { sessionId: session.sessionId, socket: this.socket, pid, cwd };
    this.#server = createServer((connection) => {
      this.#connections.add(connection);
      connection.on("error", () => {}).on("close", () => this.#connections.delete(connection));
      void serveClient({ open: () => this.door(), release, team }, connection, this.#readers).finally(() =>
        connection.destroy(),
      );
    });
  }

  async listen(): Promise<void> {
    const { socket } = this;
    await new Promise<void>((resolve, reject) => this.#server.once("error", reject).listen(socket, resolve));
    chmodSync(socket, 0o600);
    writeRecord(this.#folder, this.#record);
    await removeDeadDoors(this.#folder);
  }

  door(): Promise<WatchedDoor> {
    this.#door ??= this.#session.openDoor().then((door) => {
      this.#unwatch = door.watch((frame) => this.#take(frame));
      return door;
    });
    return this.#door;
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#unwatch();
    removeRecord(this.#folder, this.#record);
    for (const connection of this.#connections) connection.end();
    await new Promise((resolve) => this.#server.close(resolve));
    removeSocket(this.#folder, this.socket);
  }

  #take(frame: DoorFrame): void {
    // The readers must get this frame before the connections close.
    if (frame.kind === "closed") this.#closing ??= Promise.all(this.#readers).then(() => this.#end());
    if (frame.kind !== "session") return;
    removeRecord(this.#folder, this.#record);
    this.#record = { ...this.#record, sessionId: frame.sessionId };
    writeRecord(this.#folder, this.#record);
  }
}

interface Offered {
  readonly open: () => Promise<Door>;
  readonly release: LocalPlace["release"];
  readonly team: LocalPlace["team"];
}

async function serveClient(offered: Offered, connection: Socket, readers: Set<Promise<void>>): Promise<void> {
  const { open, release = stays, team = hasNoTeam } = offered;
  const send = (line: FromDoor): Promise<unknown> | undefined => sendLine(connection, line);
  let client: DoorClient | undefined;
  let door: Door | undefined;
  for await (const line of readRequests(connection)) {
    if (line.type === "hello") {
      client = clientOf(line);
      // If the door cannot be opened, the session is gone. The end of the connection tells the client.
      door = await open().catch(() => undefined);
      if (!door) return;
      const { sessionId, isBusy, questions } = door;
      send({ type: "welcome", sessionId, isBusy, questions });
    } else if (!client || !door) return;
    else if (line.type === "follow") {
      const reading = passFrames(door, client, line.after, connection).catch((error: unknown) => {
        // The door could not read the session's state: it may hang.
        const problem = `The session does not answer: ${messageOf(error)}`;
        send({ type: "frame", frame: { seq: 0, kind: "closed", problem } });
        connection.end();
      });
      readers.add(reading);
      void reading.finally(() => readers.delete(reading));
    } else {
      const { id } = line;
      const from = clientOf(line.from);
      const done: Promise<unknown> =
        line.type === "command"
          ? door.command(from, line.name, line.params as never)
          : line.type === "answer"
            ? door.answer(from, line.questionId, line.answer)
            : line.type === "team"
              ? team(line.wish as JsonObject)
              : release();
      done.then(
        (data: unknown) => send({ type: "reply", id, data }),
        (error: unknown) => send({ type: "reply", id, error: { ...codeOf(error), message: messageOf(error) } }),
      );
    }
  }
}

async function stays(): Promise<void> {
  throw new Refusal("stays", "The session belongs to the process that has it open.");
}

async function hasNoTeam(): Promise<never> {
  throw new Refusal("not_available", "This session does not run in its own tmux pane. Start it with: lathe --tmux");
}

/** Waits with the next frame until a slow client has room for it. */
async function passFrames(
  door: Door,
  client: DoorClient,
  after: number | undefined,
  connection: Socket,
): Promise<void> {
  const frames = door.follow(client, after)[Symbol.asyncIterator]();
  const leave = (): void => void frames.return?.();
  connection.once("close", leave);
  for (let next = await frames.next(); !next.done; next = await frames.next())
    await sendLine(connection, { type: "frame", frame: next.value });
  connection.off("close", leave);
  connection.end();
}

const codeOf = (error: unknown): { readonly code?: string } => {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? { code } : {};
};
