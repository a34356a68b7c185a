// What hosts can learn about an output without parsing its text: `details.meta` with the blocks `truncation`, `source`
// and `limits`.

import { isJsonObject, type JsonObject, type JsonValue } from "@lathe/llm";
import type { OutputLimit } from "./limits.ts";

/** Undefined if nothing was left out. `artifactId` only if there is an artifact. */
export function truncationMeta(
  full: string,
  shown: string,
  limit: OutputLimit,
  artifactId: number | undefined,
): JsonObject | undefined {
  if (shown === full) return undefined;
  return {
    direction: limit.mode === "head_tail" ? "middle" : limit.mode,
    truncatedBy: full.length > limit.chars ? "chars" : "lines",
    totalLines: lineCount(full),
    totalBytes: Buffer.byteLength(full),
    outputLines: lineCount(shown),
    outputBytes: Buffer.byteLength(shown),
    ...(artifactId === undefined ? {} : { artifactId }),
  };
}

/**
 * A tool that says where to continue (in its own `meta`) knows more than we do; details that are not an object cannot
 * hold it.
 */
export function withMeta(details: JsonValue | undefined, truncation: JsonObject | undefined): JsonValue | undefined {
  if (truncation === undefined) return details;
  if (details === undefined) return { meta: { truncation } };
  if (!isJsonObject(details)) return details;
  const { meta } = details;
  const own = isJsonObject(meta) ? meta : {};
  return { ...details, meta: { truncation, ...own } };
}

/** The source of a shown text. */
export const sourceMeta = (path: string): JsonObject => ({
  type: /^https?:\/\//i.test(path) ? "url" : /^[a-z][a-z0-9+.-]*:\/\//i.test(path) ? "internal" : "path",
  value: path,
});

const lineCount = (text: string): number => text.split("\n").length;
