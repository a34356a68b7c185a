// The local door of a session that this process holds: a socket that only this user can open. Other processes join the session through
// it, instead of being refused because it is locked.

import { chmodSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { messageOf } from "@lathe/llm";
import type { Door, DoorClient, DoorFrame } from "../door/door.ts";
import type { CommandWatcher } from "../door/shared-door.ts";
import { type DoorRecord, removeRecord, removeSocket, socketPlace, writeRecord } from "./door-records.ts";
import { type FromDoor, readLines, sendLine, type ToDoor } from "./lines.ts";

/** A door that tells who serves it of its frames and commands. SharedDoor is one. */
export interface WatchedDoor extends Door {
  watch(watcher: (frame: DoorFrame) => void): () => void;
  watchCommands(watcher: CommandWatcher): void;
}

export interface LocalPlace {
  /** `doors` of the home's paths. */
  readonly folder: string;
  readonly pid: number;
  /** Of the session. */
  readonly cwd: string;
}

export interface LocalDoorServer {
  readonly socket: string;
  /** Clients are disconnected; the session goes on. */
  close(): Promise<void>;
}

/** Listens until it is closed, or until the door is. */
export async function listenLocally(door: WatchedDoor, { folder, pid, cwd }: LocalPlace): Promise<LocalDoorServer> {
  const socket = socketPlace(folder, pid);
  const connections = new Set<Socket>();
  const readers = new Set<Promise<void>>();
  const server = createServer((connection) => {
    connections.add(connection);
    connection.on("error", () => {}).on("close", () => connections.delete(connection));
    void serveClient(door, connection, readers).finally(() => connection.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(socket, resolve));
  chmodSync(socket, 0o600);
  let record: DoorRecord = { sessionId: door.sessionId, socket, pid, cwd };
  writeRecord(folder, record);
  const close = async (): Promise<void> => {
    unwatch();
    removeRecord(folder, record);
    for (const connection of connections) connection.end();
    await new Promise((resolve) => server.close(resolve));
    removeSocket(folder, socket);
  };
  const unwatch = door.watch((frame) => {
    // The readers get this frame first.
    if (frame.kind === "closed") void Promise.all(readers).then(close);
    if (frame.kind !== "session") return;
    removeRecord(folder, record);
    record = { ...record, sessionId: frame.sessionId };
    writeRecord(folder, record);
  });
  return { socket, close };
}

async function serveClient(door: Door, connection: Socket, readers: Set<Promise<void>>): Promise<void> {
  const send = (line: FromDoor): Promise<unknown> | undefined => sendLine(connection, line);
  let client: DoorClient | undefined;
  for await (const line of readLines<ToDoor>(connection)) {
    if (line.type === "hello") {
      client = { name: line.name, kind: line.kind, scopes: new Set(line.scopes) };
      const { sessionId, isBusy, questions } = door;
      send({ type: "welcome", sessionId, isBusy, questions });
    } else if (!client) return;
    else if (line.type === "follow") {
      const reading = passFrames(door, client, line.after, connection);
      readers.add(reading);
      void reading.finally(() => readers.delete(reading));
    } else {
      const { id } = line;
      const done =
        line.type === "command"
          ? door.command(client, line.name, line.params as never)
          : door.answer(client, line.questionId, line.answer);
      done.then(
        (data: unknown) => send({ type: "reply", id, data }),
        (error: unknown) => send({ type: "reply", id, error: { ...codeOf(error), message: messageOf(error) } }),
      );
    }
  }
}

/** A client that reads slowly gets its next frame when it has room for it. */
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
