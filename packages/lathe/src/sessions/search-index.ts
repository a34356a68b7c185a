// Full-text index of all journals: a projection in one SQLite file that may be deleted at any time. Journals only grow,
// so each is read from where the last update stopped. The index does not hold the text itself, only the positions of
// its lines.

import type { BlobStore } from "@lathe/agent";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import {
  folderTime,
  journalsIn,
  type OwnedJournal,
  projectFolders,
  readFolder,
  type SessionFile,
  stampOf,
} from "./files.ts";
import { isBusy, isUnwritable, LINE_BITS } from "./index-file.ts";
import { spaceOut } from "./search-query.ts";
import { eachText, type TextPlace } from "./search-text.ts";

export interface SearchHit extends TextPlace {
  readonly session: SessionFile;
}

export interface UpdateRequest {
  readonly sessionsRoot: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Called before a large amount is read. */
  readonly onStart: (bytes: number) => void;
}

/** Journals for which the index is out of date, because it could not be written. */
export interface Behind {
  /** Absent if the difference is too small to notice. */
  readonly why?: string;
  readonly unread: readonly OwnedJournal[];
  readonly gone: readonly string[];
}

/** The ids as one text: one row for each of ten thousand hits would take longer than finding them. */
const MATCHES = "SELECT json_group_array(rowid) AS lines FROM word WHERE word MATCH ?";

/** The newest sessions, each with its first hit. */
const PLACES = `
SELECT newest.path AS session, newest.mtime AS sessionMtime, newest.bytes AS sessionBytes, file.path, line.offset, line.bytes
FROM (
  SELECT session.path, session.mtime, session.bytes, min(hit.value) AS line
  FROM json_each(?) AS hit JOIN file ON file.id = hit.value >> ${LINE_BITS} JOIN file AS session ON session.id = file.session
  GROUP BY session.id ORDER BY session.mtime DESC LIMIT ?
) AS newest JOIN line ON line.id = newest.line JOIN file ON file.id = line.id >> ${LINE_BITS}
ORDER BY newest.mtime DESC`;

/** Bytes read between two commits. */
const STEP_BYTES = 8 << 20;

export class SearchIndex {
  readonly #db: DatabaseSyncInstance;
  readonly #blobs: BlobStore;

  constructor(db: DatabaseSyncInstance, blobs: BlobStore) {
    this.#db = db;
    this.#blobs = blobs;
  }

  /** Updates the index to the current contents of the files; returns what is missing if it cannot. */
  update({ sessionsRoot, now, onStart: started }: UpdateRequest): Behind | undefined {
    const known = this.#folders();
    const present = projectFolders(sessionsRoot);
    const changes = [
      ...[...known.keys()].filter((path) => !present.includes(path)).map((path) => this.#goneFolder(path)),
      ...present.flatMap((path) => this.#changeOf(path, known.get(path), now)),
    ];
    if (changes.length === 0) return undefined;
    try {
      this.#write(changes, started);
      return undefined;
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      const unread = changes.flatMap((change) => change.unread);
      const gone = changes.flatMap((change) => change.gone);
      if (!isBusy(error)) return { why: (error as Error).message, unread, gone };
      return { ...(bytesOf(unread) > STEP_BYTES ? { why: "another process is writing to it" } : {}), unread, gone };
    }
  }

  search(fts: string, limit: number): SearchHit[] {
    const { lines } = this.#db.prepare(MATCHES).get(fts) as { lines: string };
    const firstOfFiles: number[] = [];
    let last = -1;
    for (const line of JSON.parse(lines) as number[]) {
      const file = Math.floor(line / 2 ** LINE_BITS);
      if (file !== last) firstOfFiles.push(line);
      last = file;
    }
    const rows = this.#db.prepare(PLACES).all(JSON.stringify(firstOfFiles), limit) as unknown as Place[];
    return rows.map(({ session, sessionMtime, sessionBytes, path, offset, bytes }) => ({
      session: { path: session, mtimeMs: sessionMtime, bytes: sessionBytes },
      path,
      offset,
      bytes,
    }));
  }

  #folders(): Map<string, number | null> {
    const rows = this.#db.prepare("SELECT path, stamp FROM folder").all() as { path: string; stamp: number | null }[];
    return new Map(rows.map(({ path, stamp }) => [path, stamp]));
  }

  #filesOf(folder: string): Map<string, KnownFile> {
    const rows = this.#db.prepare(FILES_OF_FOLDER).all(folder) as unknown as KnownFile[];
    return new Map(rows.map((row) => [row.path, row]));
  }

  #goneFolder(path: string): FolderChange {
    return { path, unread: [], gone: [...this.#filesOf(path).keys()], stamp: "gone" };
  }

  #changeOf(path: string, known: number | null | undefined, now: number): FolderChange[] {
    const time = folderTime(path);
    if (time === known) return [];
    const folder = readFolder(path);
    const files = this.#filesOf(path);
    const journals = journalsIn(folder);
    const unread = journals.flatMap((journal) => {
      const row = files.get(journal.file.path);
      const isSame = row?.bytes === journal.file.bytes && row.mtime === journal.file.mtimeMs;
      return isSame ? [] : [{ ...journal, from: row?.next ?? 0 }];
    });
    const present = new Set(journals.map(({ file }) => file.path));
    const gone = [...files.keys()].filter((file) => !present.has(file));
    const stamp = stampOf(folder, time, now) ?? null;
    const isSame = unread.length === 0 && gone.length === 0 && stamp === known;
    return isSame ? [] : [{ path, unread, gone, stamp }];
  }

  /** A file is indexed in one transaction, so that whatever counts as read is in the index. */
  #write(changes: readonly FolderChange[], started: UpdateRequest["onStart"]): void {
    const unread = bytesOf(changes.flatMap((change) => change.unread));
    let bytes = 0;
    const step = (read: number): void => {
      bytes += read;
      if (bytes < STEP_BYTES) return;
      bytes = 0;
      this.#db.exec("COMMIT; BEGIN IMMEDIATE");
    };
    this.#db.exec("BEGIN IMMEDIATE");
    if (unread > STEP_BYTES) started(unread);
    try {
      for (const { path, unread, gone, stamp } of changes) {
        for (const file of gone) this.#forget(file);
        const folder = this.#folderId(path);
        let isWhole = true;
        for (const journal of unread) {
          isWhole = this.#read(folder, journal) && isWhole;
          step(journal.file.bytes - journal.from);
        }
        if (stamp === "gone") this.#db.prepare("DELETE FROM folder WHERE id = ?").run(folder);
        else this.#db.prepare("UPDATE folder SET stamp = ? WHERE id = ?").run(isWhole ? stamp : null, folder);
      }
      this.#db.exec("COMMIT");
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #folderId(path: string): number {
    this.#db.prepare("INSERT INTO folder (path) VALUES (?) ON CONFLICT DO NOTHING").run(path);
    return (this.#db.prepare("SELECT id FROM folder WHERE path = ?").get(path) as { id: number }).id;
  }

  /**
   * Another process may have read the file since we looked, so the index's current state decides. Returns false if the
   * file cannot be read.
   */
  #read(folder: number, { file, session }: OwnedJournal): boolean {
    this.#db.prepare("INSERT INTO file (folder, path) VALUES (?, ?) ON CONFLICT DO NOTHING").run(folder, file.path);
    const row = this.#db
      .prepare("SELECT id, next, lines FROM file WHERE path = ?")
      .get(file.path) as unknown as KnownFile;
    // Journals only grow, so this must be a different file from the one we knew.
    const isOther = row.next > file.bytes;
    if (isOther) this.#forgetLines(row.id);
    const from = isOther ? 0 : row.next;
    let lines = isOther ? 0 : row.lines;
    const addLine = this.#db.prepare("INSERT INTO line (id, offset, bytes) VALUES (?, ?, ?)");
    const addText = this.#db.prepare("INSERT INTO word (rowid, text) VALUES (?, ?)");
    const next = eachText(file.path, from, this.#blobs, (text, { offset, bytes }) => {
      const id = row.id * 2 ** LINE_BITS + lines++;
      addLine.run(id, offset, bytes);
      addText.run(id, spaceOut(text));
    });
    if (next === undefined) return false;
    this.#db.prepare(DONE).run(session.path, file.bytes, file.mtimeMs, next, lines, row.id);
    return true;
  }

  #forget(path: string): void {
    const row = this.#db.prepare("SELECT id FROM file WHERE path = ?").get(path) as KnownFile | undefined;
    if (!row) return;
    this.#forgetLines(row.id);
    this.#db.prepare("DELETE FROM file WHERE id = ?").run(row.id);
  }

  #forgetLines(file: number): void {
    const range = [file * 2 ** LINE_BITS, (file + 1) * 2 ** LINE_BITS - 1];
    this.#db.prepare("DELETE FROM word WHERE rowid IN (SELECT id FROM line WHERE id BETWEEN ? AND ?)").run(...range);
    this.#db.prepare("DELETE FROM line WHERE id BETWEEN ? AND ?").run(...range);
  }
}

const bytesOf = (unread: FolderChange["unread"]): number =>
  unread.reduce((sum, { file, from }) => sum + file.bytes - from, 0);

const FILES_OF_FOLDER = `SELECT file.path, file.bytes, file.mtime, file.next FROM file JOIN folder ON folder.id = file.folder
WHERE folder.path = ?`;
const DONE = `UPDATE file SET session = (SELECT id FROM file WHERE path = ?), bytes = ?, mtime = ?, next = ?, lines = ?
WHERE id = ?`;

interface KnownFile {
  readonly id: number;
  readonly path: string;
  readonly bytes: number;
  readonly mtime: number;
  /** The position at which reading continues. */
  readonly next: number;
  /** Number of its lines in the index. */
  readonly lines: number;
}

interface Place extends TextPlace {
  readonly session: string;
  readonly sessionMtime: number;
  readonly sessionBytes: number;
}

interface FolderChange {
  readonly path: string;
  readonly unread: readonly (OwnedJournal & { readonly from: number })[];
  readonly gone: readonly string[];
  /** See `stampOf`; null if there is none to trust. */
  readonly stamp: number | null | "gone";
}
