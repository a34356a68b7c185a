// What a call did to files, as results, events and the journal carry it: contents by reference, the diff made on demand.

/** Bytes in the session's blob store. */
export interface ContentRef {
  /** Hex SHA-256: the blob's name. */
  readonly sha256: string;
  readonly bytes: number;
}

/** One file before and after a call; contents are in the blob store. */
export interface FileChange {
  /** Absolute and real. */
  readonly path: string;
  /** Absent: there was no file. */
  readonly before?: ContentRef;
  /** Absent: the file is gone. */
  readonly after?: ContentRef;
  /** Lines, as a diff counts them; 0 for what is not text. */
  readonly added: number;
  readonly removed: number;
}
