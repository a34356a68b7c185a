/** Emitted on `process` when the first model request has been sent. */
export const FIRST_REQUEST = "lathe:first-request";
