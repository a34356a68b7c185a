// Removes what crashed processes have left in the folder of local doors: session records and sockets. This runs
// whenever a door opens or a server starts.

import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { listRecords, removeRecord, removeSocket } from "./door-records.ts";

/** Errors of a socket that is gone or has no listener. */
const DEAD: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOENT"]);

export const isDeadSocket = (code: unknown): boolean => DEAD.has(code);

export async function removeDeadDoors(folder: string): Promise<void> {
  const records = listRecords(folder);
  const known = new Set(records.map(({ socket }) => socket));
  // A socket without a record may be about to get one: for a moment it exists and nothing listens.
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

/** Tests the socket, not the process: in a container that shares the home, the pid may belong to another process. */
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
