// What a session refuses its host, with a code that programs can rely on; the texts may change.

/**
 * `busy`: an input is running; `closed`: the session has ended; `config`: a setting or option is wrong; `tool_name`: a tool cannot be
 * offered under its name or in its form; `model`: the model is not named as provider/id; `budget`: a limit of the session does not
 * pay for it.
 */
export type SessionErrorCode = "busy" | "closed" | "config" | "tool_name" | "model" | "budget";

/** A session refused what its host asked for; nothing has happened. */
export class SessionError extends Error {
  readonly code: SessionErrorCode;
  constructor(code: SessionErrorCode, message: string) {
    super(message);
    this.name = "SessionError";
    this.code = code;
  }
}
