// Makes exclusive calls wait for each other. A separate file because every session has a lane before it has calls.

import { endInTime, type SessionDeps } from "../../base/time/deadline.ts";

/** Runs exclusive calls one after another. */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(deps: SessionDeps, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const done = endInTime(deps, { what: "an exclusive call", ms: 0, graceMs: 0, signal }, before).then(work);
    this.#last = Promise.allSettled([before, done]);
    return done;
  }
}
