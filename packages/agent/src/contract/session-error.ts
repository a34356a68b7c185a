// Errors with which a session refuses requests of its host. Programs can rely on the code; the texts may change.

/**
 * `busy`: an input is running; `closed`: the session has ended; `config`: a setting, option or argument is wrong;
 * `tool_name`: a tool cannot be offered because of its name or form; `model`: the model is not named as provider/id;
 * `budget`: a limit of the session does not cover it.
 */
export type SessionErrorCode = "busy" | "closed" | "config" | "tool_name" | "model" | "budget";

/** A session refused a request of its host; it had no effect. */
export class SessionError extends Error {
  readonly code: SessionErrorCode;
  constructor(code: SessionErrorCode, message: string) {
    super(message);
    this.name = "SessionError";
    this.code = code;
  }
}
