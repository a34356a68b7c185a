// A file as a call found it and as it will leave it, before anything is written.

import { blobHash } from "../../base/blobs/store.ts";
import type { TextDocument } from "./document.ts";
import { digestOf } from "./shown-files.ts";
import type { Target } from "./target.ts";

/** Content of a file at one moment; `document` is decoded on first use. */
export interface FileContent {
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, computed once: the plan, the blob and the record of shown files use it. */
  readonly digest: () => string;
  readonly document?: TextDocument;
  readonly mode?: number;
  /** Version of the file that was read. */
  readonly version?: string;
  /** Make the file executable when it is written. */
  readonly executable?: boolean;
}

/** A file before and after the call. */
export interface StagedChange {
  readonly target: Target;
  /** Absent if the file did not exist. */
  readonly before?: FileContent;
  /** Absent if the file is deleted. */
  readonly after?: FileContent;
  /** The file that contains the part; absent if the file itself is changed. */
  readonly inFile?: StagedChange;
  /** Set after the write if a concurrent write of another program was lost. */
  readonly overwrote?: true;
  /** What a formatter changed, or why it changed nothing. */
  readonly formatNote?: string;
}

/** Bytes whose digest is computed on demand. */
export function contentOf(bytes: Uint8Array): Pick<FileContent, "bytes" | "digest"> {
  let digest: string | undefined;
  return {
    bytes,
    digest: () => {
      digest ??= blobHash(bytes);
      return digest;
    },
  };
}

/** Digest of the text; if the bytes are exactly the text, their digest. */
export function textDigest({ document, digest }: FileContent): string | undefined {
  if (!document) return undefined;
  const { encoding, bom, endings, text } = document;
  return encoding === "utf-8" && !bom && endings === "\n" ? digest() : digestOf(text);
}
