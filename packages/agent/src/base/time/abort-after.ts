// Signals with a time limit. AbortSignal.timeout is not used for them: joined with another signal, Node 20 collects it as garbage and
// it never fires.

/** Aborts when the time is up, and with `signal` if that is given. */
export function abortAfter(ms: number, signal?: AbortSignal): AbortSignal {
  const late = new AbortController();
  setTimeout(() => late.abort(new DOMException(`The time of ${ms} ms is up.`, "TimeoutError")), ms).unref();
  return signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
}
