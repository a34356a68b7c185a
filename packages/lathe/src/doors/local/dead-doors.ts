// What processes that did not end in order have left below the folder of the local doors: records of sessions, and sockets. They are removed
// when a door opens or a server starts, and not only when somebody asks for just that session.

import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { listRecords, removeRecord, removeSocket } from "./door-records.ts";

/** Nothing listens there, or the socket is gone. */
const DEAD: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOENT"]);

export const isDeadSocket = (code: unknown): boolean => DEAD.has(code);

export async function removeDeadDoors(folder: string): Promise<void> {
  const records = listRecords(folder);
  const known = new Set(records.map(({ socket }) => socket));
  // One without a record may be about to get it: for a moment it is there, and nothing listens.
  const isLeft = (name: string): boolean => name.endsWith(".sock") && !isRunning(Number.parseInt(name, 10));
  const names = existsSync(folder) ? readdirSync(folder).filter(isLeft) : [];
  const others = names.map((name) => join(folder, name)).filter((socket) => !known.has(socket));
  await Promise.all([
    ...records.map(async (record) => {
      if (!(await isDead(record.socket))) return;
      removeRecord(folder, record);
      removeSocket(folder, record.socket);
    }),
    ...others.map(async (socket) => {
      if (await isDead(socket)) removeSocket(folder, socket);
    }),
  ]);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Asked of the socket, not of the process: the number of a process may mean another one in a container that shares the home. */
function isDead(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const end = (isIt: boolean): void => {
      connection.destroy();
      resolve(isIt);
    };
    connection
      .once("connect", () => end(false))
      .once("error", ({ code }: NodeJS.ErrnoException) => end(DEAD.has(code)));
  });
}
