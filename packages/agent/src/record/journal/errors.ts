/** Why a journal refused: another writer has it, it cannot be read, its format is newer, it is closed, an id is unknown, a label cannot be set, the disk failed. */
export type JournalErrorCode = "locked" | "corrupt" | "version" | "closed" | "unknown_entry" | "label" | "io";

/** Every refusal of the journal. `message` is one line that says what is wrong and what to do next. */
export class JournalError extends Error {
  readonly code: JournalErrorCode;
  constructor(code: JournalErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "JournalError";
    this.code = code;
  }
}
