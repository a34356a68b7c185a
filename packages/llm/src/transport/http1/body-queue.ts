// Bytes between a connection that brings them and a reader who takes them: each `next` takes all that has arrived.

export interface BodyHooks {
  /** The reader has taken everything there was. */
  readonly drained: () => void;
  /** The reader left before the end. */
  readonly left: () => void;
  /** Nothing more will be handed out. Called once. */
  readonly over: () => void;
}

export interface BodyQueue extends AsyncIterable<Uint8Array> {
  /** Bytes that wait for the reader. */
  readonly waiting: number;
  push(bytes: Buffer): void;
  end(): void;
  /** What has arrived is still handed out first: it may be the whole answer. */
  fail(error: Error): void;
  /** Nobody wants what has arrived any more. */
  discard(error: Error): void;
}

export function createBodyQueue(hooks: BodyHooks): BodyQueue {
  let queue: Buffer[] = [];
  let waiting = 0;
  let ended = false;
  let over = false;
  let error: Error | undefined;
  let wake: (() => void) | undefined;

  const notify = () => {
    if (!over && queue.length === 0 && (ended || error !== undefined)) {
      over = true;
      hooks.over();
    }
    wake?.();
    wake = undefined;
  };
  const take = () => {
    const bytes = queue.length === 1 && queue[0] !== undefined ? queue[0] : Buffer.concat(queue);
    queue = [];
    waiting = 0;
    return bytes;
  };

  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      for (;;) {
        if (queue.length > 0) {
          const value = take();
          if (ended || error !== undefined) notify();
          else hooks.drained();
          return { done: false, value };
        }
        if (error !== undefined) throw error;
        if (ended) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async return() {
      if (!over) {
        queue = [];
        if (!ended && error === undefined) hooks.left();
        ended = true;
        notify();
      }
      return { done: true, value: undefined };
    },
  };
  return {
    get waiting() {
      return waiting;
    },
    push(bytes) {
      queue.push(bytes);
      waiting += bytes.length;
      notify();
    },
    end() {
      ended = true;
      notify();
    },
    fail(cause) {
      error = cause;
      notify();
    },
    discard(cause) {
      queue = [];
      error = cause;
      notify();
    },
    [Symbol.asyncIterator]: () => iterator,
  };
}
