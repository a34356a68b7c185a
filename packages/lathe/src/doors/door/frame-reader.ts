// One reader of a door's frames, from a number or from a snapshot. It may be slow: if frames it needs are no longer
// kept, it continues from a snapshot.

import type { DoorFrame } from "./door.ts";
import type { FrameLog } from "./frame-log.ts";

export interface FrameReaderOptions {
  /** The last number the reader has seen; if absent, a snapshot comes first. */
  readonly after: number | undefined;
  /** The state of the session after the log's last frame. */
  readonly snapshot: () => Promise<DoorFrame>;
  /** Called once, when the reader ends or returns. */
  readonly onEnd: () => void;
}

/** Not a generator, because `return` must take effect while `next` is waiting. */
export class FrameReader implements AsyncIterableIterator<DoorFrame> {
  readonly #log: FrameLog;
  readonly #options: FrameReaderOptions;
  #after: number | undefined;
  #cancel: () => void = () => {};
  #isOver = false;

  constructor(log: FrameLog, options: FrameReaderOptions) {
    this.#log = log;
    this.#options = options;
    this.#after = options.after;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<DoorFrame, undefined>> {
    while (!this.#isOver) {
      if (this.#after === undefined || !this.#log.reaches(this.#after)) {
        const frame = await this.#options.snapshot();
        if (this.#isOver) break;
        return this.#give(frame);
      }
      const frame = this.#log.frame(this.#after + 1);
      if (frame) return this.#give(frame);
      if (this.#log.isOver) break;
      const { settled, cancel } = this.#log.more();
      this.#cancel = cancel;
      await settled;
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<DoorFrame, undefined>> {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#cancel();
      this.#options.onEnd();
    }
    return { done: true, value: undefined };
  }

  #give(frame: DoorFrame): IteratorResult<DoorFrame, undefined> {
    this.#after = frame.seq;
    return { done: false, value: frame };
  }
}
