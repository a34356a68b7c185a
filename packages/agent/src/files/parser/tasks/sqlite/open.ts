// Opens a database so that reading leaves nothing behind: no new -wal, -shm or journal next to it, and yet it sees what
// a program has written to its log.

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
import { mustBePlainBeside, mustNameNoOther } from "./side-files.ts";

export type Database = DatabaseSyncInstance;

const BUSY_MS = 3000;
/** Unfinished changes of a program are read in a copy; copying more than this would take too long. */
const MOST_COPIED_BYTES = 1 << 30;
const FORMAT_AT = 18;
const WAL_FORMAT = 2;

const SHARED = {
  timeout: BUSY_MS,
  readBigInts: true,
  returnArrays: true,
  // The program that uses the database usually allows them, so its schema may contain them.
  enableDoubleQuotedStringLiterals: true,
};

/** Opens for reading. `file` is the real path that was judged. */
export async function openReadOnly(file: string): Promise<Database> {
  const { DatabaseSync } = await sqlitePackage();
  mustBeSame(file);
  const { url, isOwn, settle } = place(file);
  let database: Database;
  try {
    database = new DatabaseSync(url, { ...SHARED, readOnly: !isOwn });
    // This opens the log as well; a copy can then be deleted.
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

/** Opens for one transaction. */
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

/** A link created after the judgement would lead elsewhere. */
function mustBeSame(file: string): void {
  if (realpathSync(file) !== file) throw new CannotParse("it was replaced by a link meanwhile");
  mustBePlainBeside(file);
}

interface Place {
  readonly url: URL;
  /** It is a copy, which we may write to. */
  readonly isOwn: boolean;
  /** Called after it was opened. */
  settle(): void;
}

function place(file: string): Place {
  const url = (path: string, query: string): URL => new URL(`${pathToFileURL(path).href}?${query}`);
  const nothing = () => {};
  const unfinished = sizeOf(`${file}-wal`) > 0 ? "-wal" : sizeOf(`${file}-journal`) > 0 ? "-journal" : undefined;
  // No process is writing and nothing is pending: no lock or shared-memory file is needed.
  if (!unfinished && usesLog(file)) return { url: url(file, "mode=ro&immutable=1"), isOwn: false, settle: nothing };
  // If the shared-memory file exists, another process has the database open, and locks keep us from reading incomplete
  // changes.
  if (!unfinished || (unfinished === "-wal" && existsSync(`${file}-shm`)))
    return { url: url(file, "mode=ro"), isOwn: false, settle: nothing };
  // A program has died: its unfinished changes are processed in a copy, as the next program that opens the database
  // would do.
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

/** SQLite's error messages, in plainer words if they are unclear. */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CannotParse) return error;
  const plain = PLAINLY.find(([pattern]) => pattern.test(error.message))?.[1];
  return new CannotParse(plain === undefined ? error.message : `${plain}`);
}
