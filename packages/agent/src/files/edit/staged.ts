// A file as a call found it and as it will leave it, before anything is written.

import { blobHash } from "../../base/blobs/store.ts";
import type { TextDocument } from "./document.ts";
import { digestOf } from "./shown.ts";
import type { Target } from "./target.ts";

/** Content of a file at one moment; `document` is decoded when first needed. */
export interface FileContent {
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, computed once: the plan, the blob and the record of shown files are all named by it. */
  readonly digest: () => string;
  readonly document?: TextDocument;
  readonly mode?: number;
  /** Of the file that was read. */
  readonly version?: string;
  /** Made runnable when it is written. */
  readonly executable?: boolean;
}

/** A file before and after the call. */
export interface StagedChange {
  readonly target: Target;
  /** Absent: there was no file. */
  readonly before?: FileContent;
  /** Absent: the file goes away. */
  readonly after?: FileContent;
  /** The file that holds the part; absent where the file itself is changed. */
  readonly inFile?: StagedChange;
  /** Set when it was made: what something else wrote in the same moment is gone. */
  readonly overwrote?: true;
  /** What a formatter has done to it, or why it did nothing. */
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

/** Digest of the text; where the bytes are nothing but the text, it is theirs. */
export function textDigest({ document, digest }: FileContent): string | undefined {
  if (!document) return undefined;
  const { encoding, bom, endings, text } = document;
  return encoding === "utf-8" && !bom && endings === "\n" ? digest() : digestOf(text);
}
