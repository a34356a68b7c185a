// Opening a journal: one pass over the bytes that checks every line, indexes it and lists what had to be given up.

import { breaksOffInHeader } from "./begun.ts";
import { useSystemChecksum } from "./checksum.ts";
import { JournalError } from "./errors.ts";
import { forEachLine, isIntact, isSealed, parseLine, readLineHead, salvage } from "./line.ts";
import { isIndexedOutside, keepsPayload, LineIndex } from "./line-index.ts";
import type { JournalStore } from "./store.ts";
import { JOURNAL_VERSION, type JournalLoss, type OutsideLine, type SessionHeader, type TreeEntry } from "./types.ts";

const LARGE_BYTES = 256 << 10;

export interface Scan {
  readonly header: SessionHeader;
  readonly index: LineIndex;
  readonly losses: JournalLoss[];
  /** Bytes after the last newline, and whether they are a whole line that only lacks its newline. */
  readonly tail: { readonly bytes: number; readonly whole: boolean };
}

/** Version of the format a file claims, from its first line; undefined when that line is not a readable header. */
export function claimedVersion(firstLine: Buffer): number | undefined {
  try {
    const header = parseLine(firstLine);
    if (header["type"] !== "session" || typeof header["id"] !== "string") return undefined;
    return typeof header["version"] === "number" ? header["version"] : 1;
  } catch {
    return undefined;
  }
}

export function scan(store: JournalStore): Scan {
  if (store.size > LARGE_BYTES) useSystemChecksum();
  const scanner = new Scanner(store.label);
  forEachLine(
    (offset, length) => store.read(offset, length),
    store.size,
    (line, offset, ended) => scanner.line(line, offset, ended),
  );
  return scanner.finish();
}

class Scanner {
  readonly #label: string;
  readonly #index = new LineIndex();
  readonly #losses: JournalLoss[] = [];
  #header: SessionHeader | undefined;
  #line = 0;
  #tail = { bytes: 0, whole: false };
  /** Leaf when the last damaged line was met: what the lost entry hung on, since an entry always continues the leaf. */
  #bridge: string | null | undefined;
  /** The damaged line right before, in case a seal says that it was a torn tail. */
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
    this.#damaged(line, offset, ended);
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
    if (end < line.length) this.#damaged(line.subarray(end), offset + end, ended);
    else if (!ended) this.#tail = { bytes: line.length, whole: true };
  }

  #readHeader(line: Buffer): SessionHeader {
    const version = claimedVersion(line);
    const intact = isIntact(line);
    if (version === undefined || (!intact && (isSealed(line) || version >= JOURNAL_VERSION))) {
      throw new JournalError(
        "corrupt",
        `${this.#label} is not a readable session: its first line (the header) is damaged. Nothing was changed; restore the file from a copy or start a new session.`,
      );
    }
    if (version !== JOURNAL_VERSION) {
      const next = version > JOURNAL_VERSION ? "update Lathe to open it" : "import it with importJournal";
      throw new JournalError(
        "version",
        `${this.#label} has session format ${version}, not ${JOURNAL_VERSION}; ${next}.`,
      );
    }
    return parseLine(line) as unknown as SessionHeader;
  }

  #take(line: Buffer, offset: number): void {
    const head = readLineHead(line);
    const span = { offset, length: line.length };
    if (head?.id !== undefined) {
      const parentId = this.#parentOf(head.id, head.parentId ?? null);
      this.#index.addEntry({ id: head.id, type: head.type, parentId, ...span });
      if (keepsPayload(head.type)) this.#index.addPayload(parseLine(line) as unknown as TreeEntry);
    } else {
      const type = head?.type ?? "";
      const parsed = isIndexedOutside(type) ? parseLine(line) : { type };
      if (type === "seal") this.#takeSeal(parsed["torn"]);
      this.#index.addOutside(parsed as unknown as OutsideLine, span);
    }
    this.#justLost = undefined;
  }

  /** A parent that was lost is replaced by what stood before it, so that one bad line costs one entry and not the history. */
  #parentOf(id: string, parentId: string | null): string | null {
    if (parentId === null || this.#index.entries.has(parentId)) return parentId;
    const adopted = this.#bridge ?? null;
    this.#losses.push({
      kind: "orphan_entry",
      line: this.#line,
      bytes: 0,
      message: `Line ${this.#line}: the entry before ${id} is lost; ${id} now follows ${adopted ?? "the start"}.`,
    });
    return adopted;
  }

  #takeSeal(torn: unknown): void {
    if (this.#justLost?.bytes !== torn) return;
    this.#losses.splice(this.#losses.indexOf(this.#justLost!), 1);
  }

  #damaged(line: Buffer, offset: number, ended: boolean): void {
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
    this.#losses.push(this.#justLost);
  }
}

function notBegun(label: string): JournalError {
  return new JournalError(
    "corrupt",
    `${label} holds no session yet: the process that made it was stopped before its first line. It can be deleted.`,
  );
}

function describe(loss: JournalLoss, saved: number): string {
  if (loss.kind === "torn_tail")
    return `Line ${loss.line} (the last) breaks off after ${loss.bytes} bytes; it is dropped.`;
  if (saved > 0) return `Line ${loss.line}: a line break is damaged; ${saved} entries around it were saved.`;
  return `Line ${loss.line} is damaged (${loss.bytes} bytes); it is left out.`;
}
