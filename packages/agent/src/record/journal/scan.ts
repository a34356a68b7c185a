// Opening a journal: one pass over the bytes that checks every line, indexes it and lists the losses.

import {
  JOURNAL_VERSION,
  type JournalLoss,
  type OutsideLine,
  type SessionHeader,
  type TreeEntry,
} from "../../contract/journal.ts";
import { useSystemChecksum } from "./checksum.ts";
import { parseChecked } from "./decode.ts";
import { JournalError } from "./errors.ts";
import { breaksOffInHeader } from "./has-begun.ts";
import { forEachLine, isIntact, isSealed, readLineHead, salvage } from "./line.ts";
import { isIndexedOutside, keepsPayload, LineIndex } from "./line-index.ts";
import { headerChecker, isTreeType, misfitsOf } from "./line-shapes.ts";
import { LossList } from "./losses.ts";
import type { LineSpan } from "./span-table.ts";
import type { JournalStore } from "./store.ts";

const LARGE_BYTES = 256 << 10;

export interface Scan {
  readonly header: SessionHeader;
  readonly index: LineIndex;
  readonly losses: LossList;
  /** Bytes after the last newline, and whether they are a complete line that only lacks its newline. */
  readonly tail: { readonly bytes: number; readonly whole: boolean };
}

/** The format version that a file's first line states; undefined if that line is not a readable header. */
export function claimedVersion(firstLine: Buffer): number | undefined {
  const parsed = parseChecked(firstLine);
  return "problem" in parsed ? undefined : versionIn(parsed.value);
}

function versionIn({ type, id, version = 1 }: Record<string, unknown>): number | undefined {
  return type === "session" && typeof id === "string" && typeof version === "number" ? version : undefined;
}

export function scan(store: JournalStore): Scan {
  if (store.size > LARGE_BYTES) useSystemChecksum();
  const scanner = new Scanner(store.label);
  forEachLine((offset, length) => store.read(offset, length), store.size, scanner);
  return scanner.finish();
}

class Scanner {
  readonly #label: string;
  readonly #index = new LineIndex();
  readonly #losses = new LossList();
  #header: SessionHeader | undefined;
  #line = 0;
  #tail = { bytes: 0, whole: false };
  /** The leaf at the last damaged line: the parent of the lost entry, because an entry always continues the leaf. */
  #bridge: string | null = null;
  /** The damaged line immediately before, in case a seal marks it as a torn tail. */
  #justLost: JournalLoss | undefined;

  constructor(label: string) {
    this.#label = label;
  }

  line(line: Buffer, offset: number, ended: boolean): void {
    this.#line++;
    if (!this.#header) {
      this.#takeHeader(line, offset, ended);
      return;
    }
    if (isIntact(line)) {
      this.#take(line, offset);
      if (!ended) this.#tail = { bytes: line.length, whole: true };
      return;
    }
    this.#takeDamaged(line, offset, ended);
  }

  tooLong(length: number, _offset: number, ended: boolean): void {
    this.#line++;
    if (!this.#header) throw damagedHeader(this.#label);
    if (!ended) this.#tail = { bytes: length, whole: false };
    this.#lose(`Line ${this.#line} is too long to be an entry (${length} bytes); it is skipped.`, length);
  }

  finish(): Scan {
    if (!this.#header) throw notBegun(this.#label);
    return { header: this.#header, index: this.#index, losses: this.#losses, tail: this.#tail };
  }

  #takeHeader(line: Buffer, offset: number, ended: boolean): void {
    if (!ended && breaksOffInHeader(line.length, () => line)) throw notBegun(this.#label);
    const first = isIntact(line) ? undefined : salvage(line).intact[0];
    const end = first?.start === 0 ? first.end : line.length;
    this.#header = this.#readHeader(line.subarray(0, end));
    if (end < line.length) this.#takeDamaged(line.subarray(end), offset + end, ended);
    else if (!ended) this.#tail = { bytes: line.length, whole: true };
  }

  #readHeader(line: Buffer): SessionHeader {
    const parsed = parseChecked(line);
    if ("problem" in parsed) throw damagedHeader(this.#label);
    const version = versionIn(parsed.value);
    const intact = isIntact(line);
    if (version === undefined || (!intact && (isSealed(line) || version >= JOURNAL_VERSION))) {
      throw damagedHeader(this.#label);
    }
    if (version !== JOURNAL_VERSION) {
      const next = version > JOURNAL_VERSION ? "update Lathe to open it" : "no version of Lathe wrote that";
      throw new JournalError(
        "version",
        `${this.#label} has session format ${version}, not ${JOURNAL_VERSION}; ${next}.`,
      );
    }
    const problem = headerChecker.wrongIn(parsed.value, "its header");
    if (problem !== undefined) {
      const message = `${this.#label} is not a session that can be used: ${problem}. Restore it from a copy or start a new one.`;
      throw new JournalError("corrupt", message);
    }
    return parsed.value as unknown as SessionHeader;
  }

  #take(line: Buffer, offset: number): void {
    const head = readLineHead(line);
    const span = { offset, length: line.length };
    if (head?.id !== undefined)
      this.#takeEntry(head.id, { type: head.type, parentId: head.parentId ?? null }, line, span);
    else if (!head || isTreeType(head.type))
      this.#lose(`Line ${this.#line} cannot be used (its beginning); it is skipped.`, line.length);
    else this.#takeOutside(head.type, line, span);
    this.#justLost = undefined;
  }

  #takeEntry(id: string, head: { type: string; parentId: string | null }, line: Buffer, span: LineSpan): void {
    if (this.#index.hasEntry(id)) {
      this.#lose(`Line ${this.#line} repeats the entry ${id}; it is skipped.`, line.length);
      return;
    }
    const payload = keepsPayload(head.type) ? this.#parse(head.type, line) : undefined;
    this.#index.addEntry({ id, type: head.type, parentId: this.#parentOf(id, head.parentId), ...span });
    if (payload) this.#index.addPayload(payload as unknown as TreeEntry);
  }

  #takeOutside(type: string, line: Buffer, span: LineSpan): void {
    const value = isIndexedOutside(type) ? this.#parse(type, line) : { type };
    if (!value) return;
    if (type === "seal") this.#takeSeal(value["torn"]);
    this.#index.addOutside(value as unknown as OutsideLine, span);
  }

  /** Undefined, and reported, if the line lacks what its kind needs. */
  #parse(type: string, line: Buffer): Record<string, unknown> | undefined {
    const parsed = parseChecked(line);
    const problem =
      "problem" in parsed ? parsed.problem : parsed.value["type"] === type ? undefined : "it names its kind twice";
    const misfit = "problem" in parsed ? undefined : misfitsOf(type, parsed.value);
    const why = problem ?? misfit?.problem;
    if ("problem" in parsed || why !== undefined) {
      this.#lose(`Line ${this.#line} (${type}) cannot be used (${why}); it is skipped.`, line.length);
      return undefined;
    }
    for (const key of misfit?.spare ?? []) delete parsed.value[key];
    return parsed.value;
  }

  #lose(message: string, bytes: number): void {
    this.#losses.add({ kind: "unusable_line", line: this.#line, bytes, message });
  }

  /** Replaces a lost parent by the entry before it, so that one bad line costs one entry and not the history. */
  #parentOf(id: string, parentId: string | null): string | null {
    if (parentId === null || this.#index.hasEntry(parentId)) return parentId;
    const adopted = this.#bridge;
    this.#losses.add({
      kind: "orphan_entry",
      line: this.#line,
      bytes: 0,
      message: `Line ${this.#line}: the entry before ${id} is lost; ${id} now follows ${adopted ?? "the start"}.`,
    });
    return adopted;
  }

  #takeSeal(torn: unknown): void {
    if (this.#justLost?.bytes !== torn) return;
    this.#losses.takeBack(this.#justLost!);
  }

  #takeDamaged(line: Buffer, offset: number, ended: boolean): void {
    const { intact, lostBytes } = salvage(line);
    for (const part of intact) this.#take(line.subarray(part.start, part.end), offset + part.start);
    if (!ended) {
      const last = intact.at(-1);
      this.#tail = { bytes: line.length - (last?.end ?? 0), whole: false };
    }
    this.#bridge = this.#index.leaf;
    const kind = ended ? "corrupt_line" : "torn_tail";
    const loss: JournalLoss = { kind, line: this.#line, bytes: lostBytes, message: "" };
    this.#justLost = { ...loss, message: describe(loss, intact.length) };
    this.#losses.add(this.#justLost);
  }
}

function damagedHeader(label: string): JournalError {
  return new JournalError(
    "corrupt",
    `${label} is not a readable session: its first line (the header) is damaged. Nothing was changed; restore the file from a copy or start a new session.`,
  );
}

function notBegun(label: string): JournalError {
  return new JournalError(
    "corrupt",
    `${label} holds no session yet: the process that made it was stopped before its first line. It can be deleted.`,
  );
}

function describe(loss: JournalLoss, saved: number): string {
  if (loss.kind === "torn_tail")
    return `Line ${loss.line} (the last) is incomplete: it ends after ${loss.bytes} bytes; it is dropped.`;
  if (saved > 0) return `Line ${loss.line}: a line break is damaged; ${saved} entries around it were saved.`;
  return `Line ${loss.line} is damaged (${loss.bytes} bytes); it is skipped.`;
}
