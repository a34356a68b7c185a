// Records of the sessions that have a local door: one file per session below $LATHE_HOME that names its socket. A
// socket path may have at most 107 bytes (103 on macOS), so if the home's path is too long, the socket is among the
// temporary files.

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
  /** The session's folder. */
  readonly cwd: string;
}

/** A path for a new socket that only this user can reach. */
export function socketPlace(folder: string, pid: number): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const taken = new Set(readdirSync(folder));
  let n = 1;
  while (taken.has(`${pid}-${n}.sock`)) n++;
  const path = join(folder, `${pid}-${n}.sock`);
  return Buffer.byteLength(path) <= MOST_SOCKET_BYTES ? path : join(mkdtempSync(join(tmpdir(), "lathe-")), "door.sock");
}

/** Also removes the socket's folder if it was created for it. */
export function removeSocket(folder: string, socket: string): void {
  rmSync(socket, { force: true });
  if (dirname(socket) !== folder) rmSync(dirname(socket), { recursive: true, force: true });
}

export function writeRecord(folder: string, record: DoorRecord): void {
  const aside = join(folder, `${record.sessionId}.${record.pid}.new`);
  writeFileSync(aside, JSON.stringify(record), { mode: 0o600 });
  renameSync(aside, recordPath(folder, record.sessionId));
}

/** Keeps the record if another process holds the session by now. */
export function removeRecord(folder: string, { sessionId, socket }: DoorRecord): void {
  if (readRecord(folder, sessionId)?.socket === socket) rmSync(recordPath(folder, sessionId), { force: true });
}

/** Undefined if there is no record, or the file is not one of ours. */
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
