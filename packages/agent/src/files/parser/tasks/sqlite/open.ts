// Opens a database so that reading leaves nothing behind: no new -wal, -shm or journal beside it, and yet what a program has written to
// its log is seen.

import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { missingPackage } from "../../../../base/optional-package.ts";
import { CannotParse } from "../types.ts";
import { mustBePlainBeside, mustNameNoOther } from "./beside.ts";

export type Database = DatabaseSyncInstance;

const BUSY_MS = 3000;
/** A copy is made of what a program has left unfinished; beyond this it would take too long. */
const MOST_COPIED_BYTES = 1 << 30;
const FORMAT_AT = 18;
const WAL_FORMAT = 2;

const SHARED = {
  timeout: BUSY_MS,
  readBigInts: true,
  returnArrays: true,
  // The program that reads the database usually allows them, so its schema may hold them.
  enableDoubleQuotedStringLiterals: true,
};

/** For reading. `file` is the real path that was judged. */
export async function openReadOnly(file: string): Promise<Database> {
  const { DatabaseSync } = await sqlitePackage();
  mustBeSame(file);
  const { url, isOwn, settle } = place(file);
  let database: Database;
  try {
    database = new DatabaseSync(url, { ...SHARED, readOnly: !isOwn });
    // Opens the log as well; a copy can then go.
    database.prepare("SELECT count(*) FROM sqlite_master").all();
    database.exec("PRAGMA trusted_schema = OFF");
  } catch (error) {
    throw describeError(error);
  } finally {
    settle();
  }
  mustBeSame(file);
  return database;
}

/** For one transaction. */
export async function openForWriting(file: string): Promise<Database> {
  const { DatabaseSync } = await sqlitePackage();
  mustBeSame(file);
  mustNameNoOther(`${file}-journal`);
  try {
    const database = new DatabaseSync(file, { ...SHARED, defensive: true });
    mustBeSame(file);
    return database;
  } catch (error) {
    throw describeError(error);
  }
}

async function sqlitePackage(): Promise<typeof import("@photostructure/sqlite")> {
  try {
    return await import("@photostructure/sqlite");
  } catch {
    throw new CannotParse(missingPackage("databases", "@photostructure/sqlite"));
  }
}

/** A link that came after the judgement would lead elsewhere. */
function mustBeSame(file: string): void {
  if (realpathSync(file) !== file) throw new CannotParse("it was replaced by a link meanwhile");
  mustBePlainBeside(file);
}

interface Place {
  readonly url: URL;
  /** A copy, which is ours to write to. */
  readonly isOwn: boolean;
  /** After it was opened. */
  settle(): void;
}

function place(file: string): Place {
  const url = (path: string, query: string): URL => new URL(`${pathToFileURL(path).href}?${query}`);
  const nothing = () => {};
  const unfinished = sizeOf(`${file}-wal`) > 0 ? "-wal" : sizeOf(`${file}-journal`) > 0 ? "-journal" : undefined;
  // No process writes and nothing waits to be taken over: no lock and no helper file is needed.
  if (!unfinished && usesLog(file)) return { url: url(file, "mode=ro&immutable=1"), isOwn: false, settle: nothing };
  // With its helper file there, another process has it open, and locks keep us from reading half of a change.
  if (!unfinished || (unfinished === "-wal" && existsSync(`${file}-shm`)))
    return { url: url(file, "mode=ro"), isOwn: false, settle: nothing };
  // A program has died: what it left is taken over in a copy, as the next one that opens the database would do.
  if (sizeOf(file) + sizeOf(file + unfinished) > MOST_COPIED_BYTES)
    throw new CannotParse("a program has left a change unfinished in it; open it once with sqlite3 in the shell");
  const folder = mkdtempSync(join(tmpdir(), "lathe-sqlite-"));
  const copy = join(folder, basename(file));
  const settle = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    for (const suffix of ["", unfinished]) copyFileSync(file + suffix, copy + suffix);
    mustNameNoOther(`${copy}-journal`);
  } catch (error) {
    settle();
    throw error;
  }
  return { url: url(copy, "mode=rw"), isOwn: true, settle };
}

function usesLog(file: string): boolean {
  const head = Buffer.alloc(FORMAT_AT + 1);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, head, 0, head.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return head[FORMAT_AT] === WAL_FORMAT;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

const PLAINLY: readonly (readonly [RegExp, string])[] = [
  [/database is locked/, "another program is writing to it (database is locked)"],
  [/^not authorized$/, "a query may only read (not authorized); write rows with write"],
  [/malformed|not a database/, "the database is damaged"],
];

/** What SQLite says, where it is not plain enough in plainer words. */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CannotParse) return error;
  const plain = PLAINLY.find(([pattern]) => pattern.test(error.message))?.[1];
  return new CannotParse(plain === undefined ? error.message : `${plain}`);
}
