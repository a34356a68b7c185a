// A vitest pool whose processes run several test files, one after the other. What a file leaves in memory stays until
// its process ends, and the system copies a process's page tables each time it starts a child: a git that costs 3 ms at
// 100 MB costs 8 at 400. So a process that has grown is replaced by a new one.

import { ForksPoolWorker, type PoolRunnerInitializer } from "vitest/node";

/** A new process has about 90 MB after one test of the command; starting one costs a second. */
const MOST_HEAP_BYTES = 200 * 1024 * 1024;

/** Not the name of a built-in pool, which would be used instead. */
const NAME = "renewed-processes";

class RenewedProcess extends ForksPoolWorker {
  override name = NAME;
  readonly reportMemory = true;
  #heapBytes = 0;

  /** All messages of the process pass here; the one at the end of a file contains the size of the heap. */
  override deserialize(data: unknown): unknown {
    const { usedMemory } = (data ?? {}) as { readonly usedMemory?: number };
    if (usedMemory !== undefined) this.#heapBytes = usedMemory;
    return super.deserialize(data);
  }

  /** All tasks of the project have the same environment. */
  canReuse(): boolean {
    return this.#heapBytes < MOST_HEAP_BYTES;
  }
}

export const renewedProcesses: PoolRunnerInitializer = {
  name: NAME,
  createPoolWorker: (options) => new RenewedProcess(options),
};
