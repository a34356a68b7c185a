// Resolves `artifact://<n>` to text: all of it, or the requested lines or characters.

import { StringDecoder } from "node:string_decoder";
import { wellFormed } from "../../base/text/well-formed.ts";
import type { SchemeContent, SchemeResolver, WantedPart } from "../../contract/seams/schemes.ts";
import { ToolFailure } from "../../contract/tool.ts";
import type { ArtifactStore } from "./store.ts";

/** 1-based, both ends inclusive. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The outputs of a session under `artifact://`. */
/** Gets the store on first use, because a session without artifacts must not create one. */
export function artifactResolver(store: () => ArtifactStore): SchemeResolver {
  return {
    hasSelectors: true,
    read: (url, _signal, part) => readArtifact(store(), url, part),
    list: async () => (await store().ids()).map((id) => ({ url: `artifact://${id}` })),
  };
}

async function readArtifact(store: ArtifactStore, url: string, part: WantedPart | undefined): Promise<SchemeContent> {
  const id = /^artifact:\/\/(\d+)$/.exec(url)?.[1];
  if (id === undefined) {
    throw new ToolFailure(
      `An artifact address is artifact://<number>, artifact://<number>:<from>-<to> (lines) or artifact://<number>:chars=<from>-<to>; got ${url}.`,
    );
  }
  const bytes = await readPart(store, Number(id), part);
  if (bytes)
    return { bytes, mediaType: "text/plain", immutable: true, ...(part ? { firstLine: firstLineOf(part) } : {}) };
  const ids = await store.ids();
  const there = ids.length === 0 ? "this session has none" : `this session has ${ids.join(", ")}`;
  throw new ToolFailure(`There is no artifact ${id}; ${there}.`);
}

const firstLineOf = ({ unit, first }: WantedPart): number => (unit === "lines" ? first : 1);

async function readPart(
  store: ArtifactStore,
  id: number,
  part: WantedPart | undefined,
): Promise<Uint8Array | undefined> {
  if (!part) return store.read(id);
  const span = { from: part.first, to: part.last ?? Number.POSITIVE_INFINITY };
  if (part.unit === "lines") return readLines(store, id, span);
  const text = await readChars(store, id, span);
  return text === undefined ? undefined : Buffer.from(text);
}

const CHUNK = 1 << 20;

/** Reads in pieces up to the last requested character; half a character at either end is replaced. */
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

/** Reads in pieces up to the last requested line, so that the size of the artifact does not matter. */
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
