import { messageOf } from "@lathe/llm";

/**
 * Why a journal operation was refused: another writer has the journal open, it cannot be read, its format is newer, it
 * is closed, an id is unknown, a label cannot be set, or the disk failed or cannot hold the value.
 */
export type JournalErrorCode = "locked" | "corrupt" | "version" | "closed" | "unknown_entry" | "label" | "io";

/** Every error of the journal. `message` is one line that says what is wrong and what to do next. */
export class JournalError extends Error {
  readonly code: JournalErrorCode;
  constructor(code: JournalErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "JournalError";
    this.code = code;
  }
}

/** Reports failures of the blob store as failures of the journal. */
export function beside<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw blobsUnwritable(error);
  }
}

export function tooLong(type: string, bytes: number): JournalError {
  return new JournalError(
    "io",
    `An entry of the kind ${type} takes ${bytes} bytes, which is more than can be read back.`,
  );
}

/** The value is not JSON: it contains itself, is nested too deeply, or a part of it throws when read. */
export function notStorable(type: string, cause: unknown): JournalError {
  const [why] = messageOf(cause).split("\n", 1);
  return new JournalError("io", `An entry of the kind ${type} cannot be stored: ${why}.`, { cause });
}

export function blobsUnwritable(cause: unknown): JournalError {
  return new JournalError(
    "io",
    `The session's blobs, kept next to its file, cannot be written: ${(cause as Error).message}. Free space or fix the folder of blobs, then open the session again.`,
    { cause },
  );
}
