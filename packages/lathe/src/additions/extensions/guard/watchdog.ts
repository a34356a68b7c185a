// A thread that notices when code of an extension blocks this one. It names the extension, turns it off for the next start, gives the
// terminal back and ends the process; the session's file holds everything that was done, so it can be resumed.

import { Worker } from "node:worker_threads";
import { type Culprit, watchSteps } from "./current.ts";
import { ANSWERED, CURRENT, watchdogSource } from "./watchdog-thread.ts";

export interface WatchdogOptions {
  /** Blocked for this long. */
  readonly blockedMs: number;
  /** Where it is written down that an extension is off. */
  readonly offFile: string;
  /** The person's terminal is ours: it has to be given back. */
  readonly hasTerminal: boolean;
}

export class Watchdog {
  readonly #cells = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker: Worker;
  readonly #stopWatching: () => void;

  constructor(options: WatchdogOptions) {
    this.#worker = new Worker(watchdogSource(), {
      eval: true,
      stdin: false,
      workerData: { cells: this.#cells.buffer, pid: process.pid, ...options },
    });
    // An answer means that callbacks are run: this thread is not blocked.
    this.#worker.on("message", (question: number) => Atomics.store(this.#cells, ANSWERED, question));
    this.#worker.unref();
    this.#stopWatching = watchSteps((culprit) => this.#step(culprit));
  }

  /** What the thread needs to name an extension. */
  tell({ id, name, file }: Culprit): void {
    this.#worker.postMessage({ id, name, file });
  }

  /** How the session can be resumed. */
  session(id: string): void {
    this.#worker.postMessage({ resume: id });
  }

  async stop(): Promise<void> {
    this.#stopWatching();
    await this.#worker.terminate();
  }

  #step(culprit: Culprit | undefined): void {
    Atomics.store(this.#cells, CURRENT, culprit?.id ?? 0);
    if (culprit) Atomics.notify(this.#cells, CURRENT);
  }
}
