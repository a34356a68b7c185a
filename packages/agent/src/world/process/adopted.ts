// Processes that the host's other code starts, such as extensions with `node:child_process`. A variable in their
// environment, which their own children inherit, marks them: they end together, and with the host however it ends.

import { randomUUID } from "node:crypto";
import { type Clock, monotonicClock } from "./clock.ts";
import { ADOPTED_VARIABLE, adoptedMark, endMarked, endProcesses, waitForExec } from "./marks.ts";
import { Watch } from "./watchdog.ts";

/** Processes of the host's other code: they are marked when they start, and end together. */
export class AdoptedProcesses {
  readonly #owner = randomUUID();
  readonly #clock: Clock;
  readonly #watch: Watch;
  #hasStarted = false;

  constructor(clock: Clock = monotonicClock) {
    this.#clock = clock;
    this.#watch = new Watch(adoptedMark(this.#owner), clock, () => undefined);
  }

  /** The variables for a process that is about to start; from now on a watchdog runs. */
  variables(): Readonly<Record<string, string>> {
    this.#hasStarted = true;
    this.#watch.begin();
    return { [ADOPTED_VARIABLE]: this.#owner };
  }

  /**
   * Ends what carries the mark, and `held`: ids of running processes that may have dropped it. Returns how many
   * processes there were.
   */
  async end(held: readonly number[]): Promise<number> {
    if (!this.#hasStarted) return 0;
    const mark = adoptedMark(this.#owner);
    const ended = new Set([...held, ...(await endMarked(mark, this.#clock))]);
    await endProcesses(held, this.#clock);
    // Those may have been starting others while we looked.
    await waitForExec(this.#clock);
    for (const pid of await endMarked(mark, this.#clock)) ended.add(pid);
    this.#watch.release();
    return ended.size;
  }
}
