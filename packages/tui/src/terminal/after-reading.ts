// Waiting for what a terminal sends. Timers run before the terminal is read: in a process that stood still, or on a busy machine, what came in
// time may lie there unread when the time is over.

/** Calls after that time, when what had come by then was read. The returned function cancels it. */
export function afterReading(ms: number, call: () => void): () => void {
  let read: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    read = setImmediate(call);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(read);
  };
}
