// The moment the first model request has been sent: what can wait until then, waits.

/** Emitted on `process`, where the launcher hears of it. */
const FIRST_REQUEST = "lathe:first-request";

const bus = process as NodeJS.EventEmitter;

export function announceFirstRequest(): void {
  bus.emit(FIRST_REQUEST);
}

/** @returns stops listening */
export function onFirstRequest(listener: () => void): () => void {
  bus.on(FIRST_REQUEST, listener);
  return () => void bus.off(FIRST_REQUEST, listener);
}
