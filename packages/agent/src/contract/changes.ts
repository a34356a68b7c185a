// The changes a call made to files, as results, events and the journal carry them: contents by reference; diffs are
// computed on demand.

/** Bytes in the session's blob store. */
export interface ContentRef {
  /** Hex SHA-256, which is the blob's name. */
  readonly sha256: string;
  readonly bytes: number;
}

/** One file before and after a call; its contents are in the blob store. */
export interface FileChange {
  /** Absolute, with links resolved. */
  readonly path: string;
  /** Absent if the file did not exist. */
  readonly before?: ContentRef;
  /** Absent if the file was deleted. */
  readonly after?: ContentRef;
  /** Lines added, as a diff counts them; 0 if the content is not text. */
  readonly added: number;
  readonly removed: number;
}
