// An error that refuses a request: a status, a code for programs, and a sentence for users.

export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  /** Seconds after which another attempt makes sense. */
  readonly retryAfter: number | undefined;

  constructor(status: number, code: string, message: string, retryAfter?: number, options?: ErrorOptions) {
    super(message, options);
    this.name = "Refused";
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}
