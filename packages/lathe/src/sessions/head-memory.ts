// Remembers what lists of sessions showed: a file that has not changed since is not opened again, and a folder that has
// not changed is not even read.

import { folderTime, readFolder, type SessionFile, stampOf } from "./files.ts";
import type { Described, ListedSession } from "./listed-session.ts";
import { loadMemory, saveMemory } from "./memory-file.ts";

/** Arrays instead of objects, because one list may read ten thousand of them. */
type Row = readonly [name: string, mtimeMs: number, bytes: number, ...session: Session | []];
/** A file without this part is not listed. */
type Session = readonly [id: string, cwd: string, created: string, title: string | null, firstMessage: string | null];
/** The stamp is null if the folder's time says nothing about its files. */
type Folder = readonly [path: string, stamp: number | null, rows: readonly Row[]];

const VERSION = 4;

/** A file that is not remembered and must be read if it is to be shown. */
export class UnreadHead {
  readonly modified: number;
  readonly file: SessionFile;
  described: Described;

  constructor(file: SessionFile) {
    this.file = file;
    this.modified = file.mtimeMs;
    this.described = "unreadable";
  }
}

interface ChangedFolder {
  readonly path: string;
  readonly stamp: number | null;
  readonly rows: readonly Row[];
  readonly unread: readonly UnreadHead[];
}

export class HeadMemory {
  readonly #file: string;
  readonly #known: ReadonlyMap<string, Folder>;
  readonly #same: Folder[] = [];
  readonly #changed: ChangedFolder[] = [];

  constructor(file: string) {
    this.#file = file;
    this.#known = new Map(loadMemory<Folder>(file, VERSION).map((folder) => [folder[0], folder]));
  }

  headsIn(path: string, now: number): readonly (ListedSession | UnreadHead)[] {
    const known = this.#known.get(path);
    const time = folderTime(path);
    if (known && known[1] === time) {
      this.#same.push(known);
      return sessionsOf(path, known[2]);
    }
    const folder = readFolder(path);
    const before = new Map(known?.[2].map((row) => [row[0], row]));
    const rows: Row[] = [];
    const unread: UnreadHead[] = [];
    for (const file of folder.sessions) {
      const row = before.get(file.path.slice(path.length + 1));
      if (row?.[1] === file.mtimeMs && row[2] === file.bytes) rows.push(row);
      else unread.push(new UnreadHead(file));
    }
    const stamp = stampOf(folder, time, now) ?? null;
    const isSame = known && stamp === known[1] && unread.length === 0 && rows.length === before.size;
    if (isSame) this.#same.push(known);
    else this.#changed.push({ path, stamp, rows, unread });
    return [...sessionsOf(path, rows), ...unread];
  }

  /** Call this when every head has been read. */
  save({ forgetOthers }: { readonly forgetOthers: boolean }): void {
    const others = forgetOthers ? this.#same : [...this.#known.values()];
    if (this.#changed.length === 0 && others.length === this.#known.size) return;
    const folders = new Map([...others, ...this.#changed.map(folderOf)].map((folder) => [folder[0], folder]));
    saveMemory(this.#file, VERSION, [...folders.values()]);
  }
}

/** A file that could not be read is tried again, even if the folder's time is unchanged. */
function folderOf({ path, stamp, rows, unread }: ChangedFolder): Folder {
  const read = unread.flatMap(({ file, described }) =>
    described === "unreadable" ? [] : [toRow(path, file, described)],
  );
  return [path, read.length === unread.length ? stamp : null, [...rows, ...read]];
}

function toRow(folder: string, { path, mtimeMs, bytes }: SessionFile, session: ListedSession | undefined): Row {
  const name = path.slice(folder.length + 1);
  if (!session) return [name, mtimeMs, bytes];
  const { id, cwd, created, title = null, firstMessage = null } = session;
  return [name, mtimeMs, bytes, id, cwd, created, title, firstMessage];
}

function sessionsOf(folder: string, rows: readonly Row[]): ListedSession[] {
  const sessions: ListedSession[] = [];
  for (const row of rows) {
    // Indexing: destructuring the row would cost as much as everything else here.
    const id = row[3];
    const cwd = row[4];
    const created = row[5];
    if (id === undefined || cwd === undefined || created === undefined) continue;
    const session: { -readonly [Key in keyof ListedSession]: ListedSession[Key] } = {
      id,
      path: `${folder}/${row[0]}`,
      cwd,
      created,
      modified: row[1],
      bytes: row[2],
    };
    if (typeof row[6] === "string") session.title = row[6];
    if (typeof row[7] === "string") session.firstMessage = row[7];
    sessions.push(session);
  }
  return sessions;
}
