// The ledger on disk: one append-only file per month.

import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { type LedgerLine, readLine } from "./lines.ts";

const NAME = /^(\d{4}-\d{2})\.jsonl$/;

/** Months that have a file, oldest first. */
export function monthsIn(folder: string): readonly string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((name) => NAME.exec(name)?.[1] ?? []).sort();
}

/** The ledger file of a month. */
export const fileOf = (folder: string, month: string): string => join(folder, `${month}.jsonl`);

const PIECE_BYTES = 1 << 20;

/**
 * Reads in pieces, since the file of a busy month can exceed the longest string. `onDamage` is called for each
 * unreadable line.
 */
export function* linesOf(folder: string, month: string, onDamage: () => void): Generator<LedgerLine, void> {
  const fd = openSync(fileOf(folder, month), "r");
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    const decoder = new StringDecoder("utf8");
    let rest = "";
    let size: number;
    do {
      size = readSync(fd, piece);
      const texts = `${rest}${size === 0 ? `${decoder.end()}\n` : decoder.write(piece.subarray(0, size))}`.split("\n");
      rest = texts.pop() ?? "";
      for (const text of texts) {
        if (text === "") continue;
        const line = readLine(text);
        if (line === undefined) onDamage();
        else yield line;
      }
    } while (size > 0);
  } finally {
    closeSync(fd);
  }
}

const textOf = (lines: readonly LedgerLine[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

/** Creates the file together with its first lines: without them, earlier spending would be forgotten. */
export function beginMonth(folder: string, month: string, lines: readonly LedgerLine[]): MonthFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const aside = join(folder, `.${month}.new`);
  try {
    writeFileSync(aside, textOf(lines), { mode: 0o600, flush: true });
    renameSync(aside, fileOf(folder, month));
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
  return new MonthFile(folder, month);
}

/** The file of one month, open for appending. */
export class MonthFile {
  readonly month: string;
  readonly #fd: number;
  #isSynced = true;
  /** The last line is incomplete, for example because the disk was full. */
  #isTorn: boolean;

  constructor(folder: string, month: string) {
    this.month = month;
    this.#fd = openSync(fileOf(folder, month), "a+");
    const { size } = fstatSync(this.#fd);
    const last = Buffer.from("\n");
    if (size > 0) readSync(this.#fd, last, 0, 1, size - 1);
    this.#isTorn = last.toString() !== "\n";
  }

  /** When this returns, the system has the lines: a killed process loses none. */
  append(...lines: readonly LedgerLine[]): void {
    const text = textOf(lines);
    // A torn line must not swallow the next one.
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    this.#isTorn = true;
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    this.#isTorn = false;
    this.#isSynced = false;
  }

  /** Resolves once the lines are on the disk; answers continue meanwhile. */
  async sync(): Promise<void> {
    if (this.#isSynced) return;
    this.#isSynced = true;
    await new Promise<void>((resolve, reject) => {
      // The file of a past month may be closed by now, and closing has synced it.
      fdatasync(this.#fd, (error) => (error === null || error.code === "EBADF" ? resolve() : reject(error)));
    });
  }

  close(): void {
    try {
      fdatasyncSync(this.#fd);
    } finally {
      closeSync(this.#fd);
    }
  }
}
