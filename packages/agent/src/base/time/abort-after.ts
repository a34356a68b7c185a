// Signals with a time limit. They do not use AbortSignal.timeout: when it is combined with another signal, Node 20
// garbage-collects it and it never fires.

/** Aborts after `ms`, or together with `signal` if one is given. */
export function abortAfter(ms: number, signal?: AbortSignal): AbortSignal {
  const late = new AbortController();
  setTimeout(() => late.abort(new DOMException(`The time of ${ms} ms is up.`, "TimeoutError")), ms).unref();
  return signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
}
