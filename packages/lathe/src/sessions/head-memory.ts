// Remembers what lists of sessions showed: a file that has not changed since is not opened again. Only a copy of what the
// files say, so anything wrong with it means reading them.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { SessionFile } from "./files.ts";
import type { ListedSession } from "./list.ts";

/** A row, not an object: ten thousand of them are read for one list. Without a session: not listed. */
type Row = readonly [path: string, mtimeMs: number, bytes: number, ...session: Session | []];
type Session = readonly [id: string, cwd: string, created: string, title: string | null, firstMessage: string | null];

const VERSION = 2;

export class HeadMemory {
  readonly #file: string;
  readonly #read: (file: SessionFile) => ListedSession | undefined;
  readonly #known: ReadonlyMap<string, Row>;
  readonly #seen = new Map<string, Row>();
  #changed = false;

  constructor(file: string, read: (file: SessionFile) => ListedSession | undefined) {
    this.#file = file;
    this.#read = read;
    this.#known = new Map(load(file).map((row) => [row[0], row]));
  }

  describe(file: SessionFile): ListedSession | undefined {
    const known = this.#known.get(file.path);
    if (known && known[1] === file.mtimeMs && known[2] === file.bytes) {
      this.#seen.set(file.path, known);
      return fromRow(known);
    }
    const session = this.#read(file);
    this.#changed = true;
    this.#seen.set(file.path, toRow(file, session));
    return session;
  }

  /** Best effort: a full or read-only home must not stop a listing. */
  save({ forgetOthers }: { readonly forgetOthers: boolean }): void {
    if (!this.#changed) return;
    const rows = forgetOthers ? this.#seen.values() : new Map([...this.#known, ...this.#seen]).values();
    const aside = `${this.#file}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(aside, JSON.stringify({ version: VERSION, rows: [...rows] }), { mode: 0o600 });
      renameSync(aside, this.#file);
    } catch {
      // the next listing reads the files again
    }
  }
}

function toRow({ path, mtimeMs, bytes }: SessionFile, session: ListedSession | undefined): Row {
  if (!session) return [path, mtimeMs, bytes];
  const { id, cwd, created, title = null, firstMessage = null } = session;
  return [path, mtimeMs, bytes, id, cwd, created, title, firstMessage];
}

function fromRow([path, modified, bytes, id, cwd, created, title, firstMessage]: Row): ListedSession | undefined {
  if (id === undefined || cwd === undefined || created === undefined) return undefined;
  return {
    id,
    path,
    cwd,
    created,
    modified,
    bytes,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof firstMessage === "string" ? { firstMessage } : {}),
  };
}

function load(file: string): readonly Row[] {
  try {
    const { version, rows } = JSON.parse(readFileSync(file, "utf8")) as { version: number; rows: readonly Row[] };
    return version === VERSION ? rows : [];
  } catch {
    return [];
  }
}
