// Canonical JSON (RFC 8785) and its digest: equal values have one text, in every program and language.

import { createHash } from "node:crypto";
import type { JsonValue } from "@lathe/llm";

/** No answer is nested deeper than this, and the recursion stays bounded. */
const MOST_LEVELS = 64;

/** Throws for values that have no canonical text: half a surrogate pair, or nesting that is too deep. */
export function canonicalJson(value: JsonValue, level = 0): string {
  if (level > MOST_LEVELS) throw new Error(`it nests more than ${MOST_LEVELS} levels deep`);
  if (typeof value === "string") return canonicalText(value);
  // JSON.stringify writes numbers as the RFC requires: the shortest digits that read back the same.
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, level + 1)).join(",")}]`;
  const fields = Object.keys(value)
    // The RFC sorts by UTF-16 code units, which is what < compares.
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => `${canonicalText(name)}:${canonicalJson(value[name] as JsonValue, level + 1)}`);
  return `{${fields.join(",")}}`;
}

function canonicalText(text: string): string {
  if (!text.isWellFormed()) throw new Error("it holds half a surrogate pair, which is no Unicode text");
  return JSON.stringify(text);
}

/** SHA-256 of the canonical text in UTF-8, as hexadecimal. */
export const canonicalHash = (value: JsonValue): string =>
  createHash("sha256").update(canonicalJson(value), "utf8").digest("hex");
