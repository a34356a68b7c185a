// Time as the process layer sees it: durations and timers, so that tests can decide when a deadline passes.

/** Measures durations and sets timers. */
export interface Clock {
  /** Milliseconds from a monotonic clock. */
  now(): number;
  /** Calls `fn` once after `ms`; the returned function cancels it. */
  after(ms: number, fn: () => void): () => void;
}

/** Node treats anything longer as zero. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of this process. */
export const monotonicClock: Clock = {
  // Loading the implementation of `performance` takes longer at startup than loading `node:child_process`.
  now: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  after: (ms, fn) => {
    const timer = setTimeout(fn, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
