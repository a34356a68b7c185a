// Signals that the first model request has been sent. Whatever can wait until then does.

/** Emitted on `process`, where the launcher listens for it. */
const FIRST_REQUEST = "lathe:first-request";

const bus = process as NodeJS.EventEmitter;

export function announceFirstRequest(): void {
  bus.emit(FIRST_REQUEST);
}

/** @returns a function that stops listening */
export function onFirstRequest(listener: () => void): () => void {
  bus.on(FIRST_REQUEST, listener);
  return () => void bus.off(FIRST_REQUEST, listener);
}
