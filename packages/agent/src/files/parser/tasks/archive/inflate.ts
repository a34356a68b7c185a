// Operations on untrusted compressed bytes. Runs in the parser process: nothing here accesses files or the session.

import { createGunzip, inflateRawSync } from "node:zlib";
import type { TaskInput } from "../types.ts";
import { ArchiveError, limits, type Member } from "./members.ts";
import { type TarMember, walkTar } from "./tar-walk.ts";

/** `most`: maximum size of the output in bytes. */
export interface InflateInput extends TaskInput {
  readonly bytes: Uint8Array;
  readonly most: number;
}

/** The content of a deflated member of a zip archive. */
export function inflate(input: TaskInput): Uint8Array {
  const { bytes, most } = input as InflateInput;
  if (most === 0) return new Uint8Array(0);
  return explainFailure(() => inflateRawSync(bytes, { maxOutputLength: most }), most);
}

/** The whole content of a gzip file. */
export async function gunzip(input: TaskInput): Promise<Uint8Array> {
  const { bytes, most } = input as InflateInput;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of inflateChunks(bytes)) {
    length += chunk.length;
    if (length > most) throw tooMuch(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A member of a compressed tar archive, as it crosses from one process to another. */
export type TgzMember = Member & Pick<TarMember, "start" | "isSparse">;

/**
 * The requested contents: the member that begins at `from`, and those after it until all together exceed `most` bytes.
 */
interface WantedContents {
  readonly from: number;
  readonly most: number;
}

export interface ScanInput extends TaskInput {
  readonly bytes: Uint8Array;
  readonly wanted?: WantedContents;
}

export interface TgzScan {
  /** Empty if contents were requested. */
  readonly members: readonly TgzMember[];
  /** By the offset at which the member begins. */
  readonly contents: readonly (readonly [number, Uint8Array])[];
}

/** The list of members of a compressed tar archive, or the requested contents. Nothing else of it is kept in memory. */
export async function scanTgz(input: TaskInput): Promise<TgzScan> {
  const { bytes, wanted } = input as ScanInput;
  const reader = new StreamReader(inflateChunks(bytes));
  const walk = walkTar();
  const members: TgzMember[] = [];
  const contents: [number, Uint8Array][] = [];
  let room = wanted?.most ?? 0;
  for (let step = walk.next(); !step.done; ) {
    if (step.value.kind === "bytes") {
      step = walk.next(await reader.read(step.value.at, step.value.length));
      continue;
    }
    const { member } = step.value;
    if (wanted && member.start >= wanted.from && member.kind === "file") {
      if (member.start !== wanted.from && member.size > room) break;
      const content = await reader.read(member.data, member.size);
      if (content.length < member.size) throw new ArchiveError(`${member.name} is cut short`);
      contents.push([member.start, new Uint8Array(content)]);
      room -= member.size;
    }
    if (members.length >= limits.members)
      throw new ArchiveError(`it has more than ${limits.members} members; use tar in the shell`);
    if (!wanted) {
      const { name, kind, size, linkTarget, start, isSparse } = member;
      members.push({ name, kind, size, linkTarget, start, isSparse });
    }
    step = walk.next(Buffer.alloc(0));
  }
  return { members, contents };
}

/** Reads forward in a stream. */
class StreamReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);
  /** Offset of the first buffered byte. */
  #at = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async read(at: number, length: number): Promise<Buffer> {
    while (this.#at + this.#held.length <= at) {
      this.#at += this.#held.length;
      this.#held = Buffer.alloc(0);
      if (!(await this.#more())) return Buffer.alloc(0);
    }
    this.#held = this.#held.subarray(at - this.#at);
    this.#at = at;
    if (this.#held.length < length) await this.#fill(length);
    return this.#held.subarray(0, length);
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done) return false;
    this.#held = next.value;
    return true;
  }

  async #fill(length: number): Promise<void> {
    const chunks = [this.#held];
    for (let have = this.#held.length; have < length; ) {
      const next = await this.#chunks.next();
      if (next.done) break;
      chunks.push(next.value);
      have += next.value.length;
    }
    this.#held = Buffer.concat(chunks);
  }
}

async function* inflateChunks(bytes: Uint8Array): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: 256 << 10 });
  stream.end(bytes);
  let length = 0;
  try {
    for await (const chunk of stream) {
      length += (chunk as Buffer).length;
      if (length > limits.inflatedBytes) throw tooMuch(limits.inflatedBytes);
      yield chunk as Buffer;
    }
  } catch (error) {
    throw zlibError(error);
  } finally {
    stream.destroy();
  }
}

function explainFailure<T>(work: () => T, most: number): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw tooMuch(most);
    throw zlibError(error);
  }
}

const tooMuch = (most: number): ArchiveError =>
  new ArchiveError(`it inflates to more than ${most} bytes, more than it says or than is read here`);

function zlibError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (typeof code !== "string" || !code.startsWith("Z_")) return error;
  return new ArchiveError(code === "Z_BUF_ERROR" ? "it is cut short" : "its compressed bytes are damaged");
}
