// Which sessions have a local door, and where: a file for each below $LATHE_HOME, named after the session, that tells the socket. The
// address of a socket may have 107 bytes only (103 on macOS), so where the home's path is long it lies among the temporary files.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isJsonObject, parseJson } from "@lathe/llm";

const MOST_SOCKET_BYTES = 103;

export interface DoorRecord {
  readonly sessionId: string;
  readonly socket: string;
  readonly pid: number;
  /** Of the session. */
  readonly cwd: string;
}

/** A place for a new socket that only this user can reach. */
export function socketPlace(folder: string, pid: number): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const taken = new Set(readdirSync(folder));
  let n = 1;
  while (taken.has(`${pid}-${n}.sock`)) n++;
  const path = join(folder, `${pid}-${n}.sock`);
  return Buffer.byteLength(path) <= MOST_SOCKET_BYTES ? path : join(mkdtempSync(join(tmpdir(), "lathe-")), "door.sock");
}

/** Its folder goes too when it was made for it. */
export function removeSocket(folder: string, socket: string): void {
  rmSync(socket, { force: true });
  if (dirname(socket) !== folder) rmSync(dirname(socket), { recursive: true, force: true });
}

export function writeRecord(folder: string, record: DoorRecord): void {
  const aside = join(folder, `${record.sessionId}.${record.pid}.new`);
  writeFileSync(aside, JSON.stringify(record), { mode: 0o600 });
  renameSync(aside, recordPath(folder, record.sessionId));
}

/** Not when another process holds the session by now. */
export function removeRecord(folder: string, { sessionId, socket }: DoorRecord): void {
  if (readRecord(folder, sessionId)?.socket === socket) rmSync(recordPath(folder, sessionId), { force: true });
}

/** Undefined when there is none, or when it is none of ours. */
export function readRecord(folder: string, sessionId: string): DoorRecord | undefined {
  const path = recordPath(folder, sessionId);
  const value = existsSync(path) ? parseJson(readFileSync(path, "utf8")) : undefined;
  if (!isJsonObject(value)) return undefined;
  const { socket, pid, cwd } = value;
  const isRecord = typeof socket === "string" && typeof pid === "number" && typeof cwd === "string";
  return isRecord ? { sessionId, socket, pid, cwd } : undefined;
}

export function listRecords(folder: string): readonly DoorRecord[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  return names.flatMap((name) => readRecord(folder, name.slice(0, -".json".length)) ?? []);
}

const recordPath = (folder: string, sessionId: string): string => join(folder, `${sessionId}.json`);
