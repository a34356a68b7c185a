// Decodes the bytes of a line into a value that readers can rely on: parsed, with its blobs, and with the fields of its
// kind. Every reader of lines uses this, because a line with a correct checksum may still contain anything.

import { isJsonObject, parseJson } from "@lathe/llm";
import type { BlobStore } from "../../base/blobs/store.ts";
import type { JournalLine } from "../../contract/journal.ts";
import { misfitsOf } from "./line-shapes.ts";
import { repairMissing } from "./missing.ts";
import { isShallow } from "./nesting.ts";
import { fromStored, mentionsBlob } from "./payload.ts";

/** Greater than the limit for tool arguments (`MOST_NESTING`), to allow for the structure around them. */
const DEEPEST_LINE = 256;

export type LineValue = Record<string, unknown>;

export type Decoded =
  | { readonly value: LineValue; readonly spare: readonly string[] }
  /** Why the line is unusable. */
  | { readonly problem: string };

/** The value as stored in the line: blobs are references, and fields are not checked. */
export function parseChecked(line: Buffer): { readonly value: LineValue } | { readonly problem: string } {
  const value = parseJson(line.toString("utf8"));
  if (value === undefined) return { problem: "is not JSON" };
  if (!isJsonObject(value)) return { problem: "is not an object" };
  if (!isShallow(value, DEEPEST_LINE)) return { problem: "is nested too deeply" };
  delete (value as LineValue)["~"];
  return { value: value as LineValue };
}

/** Calls `missing` for every missing blob, whose content is replaced by a notice. */
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

/** Like `decodeLine`, but returns only valid lines, for readers that skip unusable ones. */
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
