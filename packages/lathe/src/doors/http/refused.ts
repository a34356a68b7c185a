// What the server refuses: a status, a code that programs can tell apart, and a sentence for people.

export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  /** Seconds after which it makes sense to try again. */
  readonly retryAfter: number | undefined;

  constructor(status: number, code: string, message: string, retryAfter?: number, options?: ErrorOptions) {
    super(message, options);
    this.name = "Refused";
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}
