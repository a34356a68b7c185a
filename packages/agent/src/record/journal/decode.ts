// From the bytes of a line to a value that readers can rely on: parsed, with its blobs, and of the shape of its kind. Every
// reader of lines comes through here, since a line with a right checksum may still hold anything.

import { isJsonObject, parseJson } from "@lathe/llm";
import type { BlobStore } from "../../base/blobs/store.ts";
import type { JournalLine } from "../../contract/journal.ts";
import { misfitsOf } from "./line-shapes.ts";
import { repairMissing } from "./missing.ts";
import { isShallow } from "./nesting.ts";
import { fromStored, mentionsBlob } from "./payload.ts";

/** Deeper than a tool's arguments may be (`MOST_NESTING`), by what stands around them. */
const DEEPEST_LINE = 256;

export type LineValue = Record<string, unknown>;

export type Decoded =
  | { readonly value: LineValue; readonly spare: readonly string[] }
  /** Why the line cannot be used. */
  | { readonly problem: string };

/** The value as it stands in the line: blobs are references, shapes are not checked. */
export function parseChecked(line: Buffer): { readonly value: LineValue } | { readonly problem: string } {
  const value = parseJson(line.toString("utf8"));
  if (value === undefined) return { problem: "is not JSON" };
  if (!isJsonObject(value)) return { problem: "is not an object" };
  if (!isShallow(value, DEEPEST_LINE)) return { problem: "is nested too deeply" };
  delete (value as LineValue)["~"];
  return { value: value as LineValue };
}

/** `missing` is told of every blob that is not there; what it held reads as a notice. */
export function decodeLine(line: Buffer, blobs: BlobStore, missing: (hash: string) => void = () => {}): Decoded {
  const parsed = parseChecked(line);
  if ("problem" in parsed) return parsed;
  const value = mentionsBlob(line) ? withBlobs(parsed.value, blobs, missing) : parsed.value;
  const { type } = value;
  const { problem, spare } =
    typeof type === "string" ? misfitsOf(type, value) : { problem: "type must be a string", spare: [] };
  if (problem !== undefined) return { problem };
  for (const key of spare) delete value[key];
  return { value, spare };
}

/** The same as one of ours, for readers that pass over what cannot be used. */
export function readLine(line: Buffer, blobs: BlobStore): JournalLine | undefined {
  const decoded = decodeLine(line, blobs);
  return "problem" in decoded ? undefined : (decoded.value as unknown as JournalLine);
}

function withBlobs(stored: LineValue, blobs: BlobStore, missing: (hash: string) => void): LineValue {
  let lost = false;
  const value = fromStored(stored, blobs, (hash) => {
    lost = true;
    missing(hash);
  }) as LineValue;
  return lost ? repairMissing(value) : value;
}
