// A thread that notices when an extension's code blocks the main thread. It names the extension, turns it off for the
// next start, restores the terminal and ends the process; the session's file has everything that was done, so the
// session can be resumed.

import { Worker } from "node:worker_threads";
import { type Culprit, watchSteps } from "./current.ts";
import { ANSWERED, CURRENT, watchdogSource } from "./watchdog-thread.ts";

export interface WatchdogOptions {
  /** How long an extension may block the main thread. */
  readonly blockedMs: number;
  /** The file that records which extensions are off. */
  readonly offFile: string;
  /** Whether we use the user's terminal, which then has to be restored. */
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
    // An answer shows that callbacks run, so this thread is not blocked.
    this.#worker.on("message", (question: number) => Atomics.store(this.#cells, ANSWERED, question));
    this.#worker.unref();
    this.#stopWatching = watchSteps((culprit) => this.#step(culprit));
  }

  /** Sends the thread what it needs to name an extension. */
  tell({ id, name, file }: Culprit): void {
    this.#worker.postMessage({ id, name, file });
  }

  /** Sends the id with which the session can be resumed. */
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
