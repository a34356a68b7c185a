// `artifact://<n>` and `artifact://<n>:<from>-<to>` (lines, 1-based) as text.

import { ToolFailure } from "../contract/tool.ts";
import type { ArtifactStore } from "./store.ts";

export interface ArtifactAddress {
  readonly id: number;
  readonly lines?: { readonly from: number; readonly to: number };
}

/** Undefined when the text is not an artifact address at all; throws a ToolFailure when it is a bad one. */
export function parseArtifactUrl(url: string): ArtifactAddress | undefined {
  if (!url.startsWith("artifact://")) return undefined;
  const rest = url.slice("artifact://".length);
  const match = /^(\d+)(?::(\d+)(?:-(\d+))?)?$/.exec(rest);
  if (!match)
    throw new ToolFailure(`An artifact address is artifact://<number> or artifact://<number>:<from>-<to>; got ${url}.`);
  const [, id, from, to] = match;
  if (from === undefined) return { id: Number(id) };
  return { id: Number(id), lines: { from: Number(from), to: Number(to ?? from) } };
}

export async function readArtifact(store: ArtifactStore, address: ArtifactAddress): Promise<string> {
  const bytes = address.lines ? await readLines(store, address.id, address.lines) : await store.read(address.id);
  if (bytes) return Buffer.from(bytes).toString("utf8");
  const ids = await store.ids();
  const there = ids.length === 0 ? "this session has none" : `this session has ${ids.join(", ")}`;
  throw new ToolFailure(`There is no artifact ${address.id}; ${there}.`);
}

const CHUNK = 1 << 20;

/** Reads in pieces up to the last wanted line, so that the size of the artifact does not matter. */
async function readLines(
  store: ArtifactStore,
  id: number,
  lines: { readonly from: number; readonly to: number },
): Promise<Uint8Array | undefined> {
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
