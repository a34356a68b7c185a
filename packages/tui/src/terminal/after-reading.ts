// A timeout for the terminal's answers. Timers run before the terminal is read, so after a suspension or on a busy
// machine an answer may be waiting unread when the time is over.

/** Calls back after this time, once the input that had arrived by then was read. The returned function cancels it. */
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
