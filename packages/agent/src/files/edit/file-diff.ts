// The diff of a journalled change, computed on demand.

import type { BlobStore } from "../../base/blobs/store.ts";
import type { ContentRef, FileChange } from "../../contract/changes.ts";
import { changeText } from "./change-text.ts";
import { DocumentError, decodeDocument } from "./document.ts";

/** Only hunks; empty if one side is lost or not text. */
export function fileDiff({ before, after }: FileChange, blobs: Pick<BlobStore, "get">): string {
  const [old, next] = [storedText(before, blobs), storedText(after, blobs)];
  return old === undefined || next === undefined ? "" : changeText(old, next).diff;
}

function storedText(ref: ContentRef | undefined, blobs: Pick<BlobStore, "get">): string | undefined {
  if (!ref) return "";
  const bytes = blobs.get(ref.sha256);
  if (!bytes) return undefined;
  try {
    return decodeDocument(bytes).text;
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}
