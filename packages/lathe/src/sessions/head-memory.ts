// Remembers what lists of sessions showed: a file that has not changed since is not opened again, and a folder that has not
// changed is not even looked into. Only a copy of what the files say, so anything wrong with it means reading them.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { folderTime, readFolder, type SessionFile, stampOf } from "./files.ts";
import type { Described, ListedSession } from "./list.ts";

/** Rows, not objects: ten thousand of them are read for one list. */
type Row = readonly [name: string, mtimeMs: number, bytes: number, ...session: Session | []];
/** Of a file without one, nothing is listed. */
type Session = readonly [id: string, cwd: string, created: string, title: string | null, firstMessage: string | null];
/** The stamp is null when the folder's time says nothing about its files. */
type Folder = readonly [path: string, stamp: number | null, rows: readonly Row[]];

/** A session file: its row as remembered, else what the folder tells about it. */
export interface Head {
  readonly folder: string;
  row: Row;
  isRead: boolean;
}

const VERSION = 3;

export class HeadMemory {
  readonly #file: string;
  readonly #known: ReadonlyMap<string, Folder>;
  readonly #looked: { readonly path: string; readonly stamp: number | null; readonly heads: readonly Head[] }[] = [];
  #isChanged = false;

  constructor(file: string) {
    this.#file = file;
    this.#known = new Map(load(file).map((folder) => [folder[0], folder]));
  }

  headsIn(path: string, now: number): readonly Head[] {
    const known = this.#known.get(path);
    const time = folderTime(path);
    if (known && known[1] === time) {
      const heads = known[2].map((row): Head => ({ folder: path, row, isRead: true }));
      this.#looked.push({ path, stamp: time, heads });
      return heads;
    }
    const folder = readFolder(path);
    const stamp = stampOf(folder, time, now) ?? null;
    const before = new Map(known?.[2].map((row) => [row[0], row]));
    const heads = folder.sessions.map(({ path: file, mtimeMs, bytes }): Head => {
      const name = file.slice(path.length + 1);
      const row = before.get(name);
      const isRead = row?.[1] === mtimeMs && row[2] === bytes;
      return { folder: path, row: isRead ? row : [name, mtimeMs, bytes], isRead };
    });
    this.#looked.push({ path, stamp, heads });
    if (stamp !== known?.[1] || before.size !== heads.length || !heads.every((head) => head.isRead))
      this.#isChanged = true;
    return heads;
  }

  /** Best effort: a full or read-only home must not stop a listing. To be called when every head was to be read. */
  save({ forgetOthers }: { readonly forgetOthers: boolean }): void {
    if (!this.#isChanged) return;
    const looked = this.#looked.map(({ path, stamp, heads }): Folder => {
      const read = heads.filter(({ isRead }) => isRead);
      return [path, read.length === heads.length ? stamp : null, read.map(({ row }) => row)];
    });
    const folders = new Map(
      [...(forgetOthers ? [] : this.#known.values()), ...looked].map((folder) => [folder[0], folder]),
    );
    const aside = `${this.#file}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(aside, JSON.stringify({ version: VERSION, folders: [...folders.values()] }), { mode: 0o600 });
      renameSync(aside, this.#file);
    } catch {
      rmSync(aside, { force: true }); // the next listing reads the files again
    }
  }
}

/** What a list shows of it; the file is read when nothing is remembered. */
export function sessionOf(head: Head, read: (file: SessionFile) => Described): Described {
  if (head.isRead) return fromRow(head);
  const [name, mtimeMs, bytes] = head.row;
  const session = read({ path: `${head.folder}/${name}`, mtimeMs, bytes });
  if (session === "unreadable") return session;
  head.row = toRow(head.row, session);
  head.isRead = true;
  return session;
}

function toRow([name, mtimeMs, bytes]: Row, session: ListedSession | undefined): Row {
  if (!session) return [name, mtimeMs, bytes];
  const { id, cwd, created, title = null, firstMessage = null } = session;
  return [name, mtimeMs, bytes, id, cwd, created, title, firstMessage];
}

function fromRow({ folder, row }: Head): ListedSession | undefined {
  const [name, modified, bytes, id, cwd, created, title, firstMessage] = row;
  if (id === undefined || cwd === undefined || created === undefined) return undefined;
  return {
    id,
    path: `${folder}/${name}`,
    cwd,
    created,
    modified,
    bytes,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof firstMessage === "string" ? { firstMessage } : {}),
  };
}

function load(file: string): readonly Folder[] {
  try {
    const { version, folders } = JSON.parse(readFileSync(file, "utf8")) as {
      version: number;
      folders: readonly Folder[];
    };
    return version === VERSION ? folders : [];
  } catch {
    return [];
  }
}
