// `artifact://<n>`, `artifact://<n>:<from>-<to>` (lines, 1-based) and `artifact://<n>:chars=<from>-<to>` as text.

import { StringDecoder } from "node:string_decoder";
import { ToolFailure } from "../contract/tool.ts";
import { wellFormed } from "../text/well-formed.ts";
import type { ArtifactStore } from "./store.ts";

export interface ArtifactAddress {
  readonly id: number;
  readonly lines?: Span;
  /** UTF-16 code units, as the limits of outputs count them. */
  readonly chars?: Span;
}

/** 1-based, both ends included. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Undefined when the text is not an artifact address at all; throws a ToolFailure when it is a bad one. */
export function parseArtifactUrl(url: string): ArtifactAddress | undefined {
  if (!url.startsWith("artifact://")) return undefined;
  const rest = url.slice("artifact://".length);
  const match = /^(\d+)(?::(chars=)?(\d+)(?:-(\d+))?)?$/.exec(rest);
  if (!match)
    throw new ToolFailure(
      `An artifact address is artifact://<number>, artifact://<number>:<from>-<to> (lines) or artifact://<number>:chars=<from>-<to>; got ${url}.`,
    );
  const [, id, chars, from, to] = match;
  if (from === undefined) return { id: Number(id) };
  const span = { from: Number(from), to: Number(to ?? from) };
  return { id: Number(id), ...(chars === undefined ? { lines: span } : { chars: span }) };
}

export async function readArtifact(store: ArtifactStore, address: ArtifactAddress): Promise<string> {
  const text = await readPart(store, address);
  if (text !== undefined) return text;
  const ids = await store.ids();
  const there = ids.length === 0 ? "this session has none" : `this session has ${ids.join(", ")}`;
  throw new ToolFailure(`There is no artifact ${address.id}; ${there}.`);
}

async function readPart(store: ArtifactStore, { id, lines, chars }: ArtifactAddress): Promise<string | undefined> {
  if (chars) return readChars(store, id, chars);
  const bytes = lines ? await readLines(store, id, lines) : await store.read(id);
  return bytes && Buffer.from(bytes).toString("utf8");
}

const CHUNK = 1 << 20;

/** Reads in pieces up to the last wanted character; half a character at either end is replaced. */
async function readChars(store: ArtifactStore, id: number, { from, to }: Span): Promise<string | undefined> {
  const decoder = new StringDecoder("utf8");
  let wanted = "";
  let before = 0;
  for (let offset = 0; ; offset += CHUNK) {
    const chunk = await store.read(id, { start: offset, end: offset + CHUNK });
    if (!chunk) return undefined;
    const text = decoder.write(Buffer.from(chunk));
    wanted += text.slice(Math.max(0, from - 1 - before), Math.max(0, to - before));
    before += text.length;
    if (chunk.length < CHUNK || before >= to) return wellFormed(wanted);
  }
}

/** Reads in pieces up to the last wanted line, so that the size of the artifact does not matter. */
async function readLines(store: ArtifactStore, id: number, lines: Span): Promise<Uint8Array | undefined> {
  const wanted: Uint8Array[] = [];
  let line = 1;
  for (let offset = 0; ; offset += CHUNK) {
    const chunk = await store.read(id, { start: offset, end: offset + CHUNK });
    if (!chunk) return undefined;
    let from = 0;
    while (from < chunk.length && line <= lines.to) {
      const newline = chunk.indexOf(10, from);
      const end = newline === -1 ? chunk.length : newline + 1;
      if (line >= lines.from) wanted.push(chunk.subarray(from, end));
      if (newline !== -1) line++;
      from = end;
    }
    if (chunk.length < CHUNK || line > lines.to) return Buffer.concat(wanted);
  }
}
