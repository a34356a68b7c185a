// The stream of a door: numbered frames, of which the last ones are kept, for readers that begin, go away and come back at any time.
// Deltas wait up to 30 ms for others of the same text, so that a long answer is a few frames and not thousands.

import type { ClientDeps } from "@lathe/llm";
import type { WireEvent } from "../../hosts/wire/events.ts";
import type { DoorFrame } from "./door.ts";
import { mergeDeltas, textOfDelta } from "./merge-deltas.ts";

const MERGE_MS = 30;

type WithoutSeq<T> = T extends unknown ? Omit<T, "seq"> : never;
/** A frame that has no number yet. */
export type FrameBody = WithoutSeq<DoorFrame>;

export interface FrameLogOptions {
  readonly setTimer: ClientDeps["setTimer"];
  /** The number of the first frame. */
  readonly first: number;
  /** At most so many frames are kept, and so many characters of them. */
  readonly mostFrames?: number;
  readonly mostChars?: number;
}

export class FrameLog {
  readonly #setTimer: ClientDeps["setTimer"];
  readonly #mostFrames: number;
  readonly #mostChars: number;
  readonly #kept: { readonly frame: DoorFrame; readonly chars: number }[] = [];
  #chars = 0;
  #last: number;
  /** By text, in the order of their first delta. */
  readonly #deltas = new Map<string, WireEvent>();
  #timer: { cancel(): void } | undefined;
  #isOver = false;
  readonly #waiting = new Set<() => void>();
  /** Is told of each frame as it is numbered. */
  onFrame: ((frame: DoorFrame) => void) | undefined;

  constructor({ setTimer, first, mostFrames = 4096, mostChars = 8 << 20 }: FrameLogOptions) {
    this.#setTimer = setTimer;
    this.#last = first - 1;
    this.#mostFrames = mostFrames;
    this.#mostChars = mostChars;
  }

  /** The number of the last frame. */
  get last(): number {
    return this.#last;
  }
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether everything after this number is still here. */
  reaches(after: number): boolean {
    return after <= this.#last && after >= this.#last - this.#kept.length;
  }

  /** The frame with this number, which must be here; undefined when it is still to come. */
  frame(seq: number): DoorFrame | undefined {
    return this.#kept[this.#kept.length - 1 - (this.#last - seq)]?.frame;
  }

  /** An event, after those that came before it. */
  event(event: WireEvent): void {
    const text = textOfDelta(event);
    if (text === undefined) {
      this.push({ kind: "event", event });
      return;
    }
    const before = this.#deltas.get(text);
    const merged = before ? mergeDeltas(before, event) : event;
    if (!merged) this.flush();
    this.#deltas.set(text, merged ?? event);
    this.#timer ??= this.#setTimer(() => this.flush(), MERGE_MS);
  }

  push(body: FrameBody): void {
    this.flush();
    this.#append(body);
  }

  /** Gives the deltas that wait their numbers. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const deltas = [...this.#deltas.values()];
    this.#deltas.clear();
    for (const event of deltas) this.#append({ kind: "event", event });
  }

  /** Nothing follows: readers end when they have read what is here. */
  end(): void {
    this.flush();
    this.#isOver = true;
    this.#wake();
  }

  /** Settles when there is more, or when there will be nothing more; `cancel` settles it at once. */
  more(): { readonly settled: Promise<void>; readonly cancel: () => void } {
    let cancel = (): void => {};
    const settled = new Promise<void>((resolve) => {
      cancel = () => {
        this.#waiting.delete(cancel);
        resolve();
      };
    });
    if (this.#isOver) cancel();
    else this.#waiting.add(cancel);
    return { settled, cancel };
  }

  #append(body: FrameBody): void {
    if (this.#isOver) return;
    const frame: DoorFrame = { seq: ++this.#last, ...body };
    const chars = JSON.stringify(frame).length;
    this.#kept.push({ frame, chars });
    this.#chars += chars;
    this.#forget();
    this.#wake();
    this.onFrame?.(frame);
  }

  /** The last frame stays, however large it is. */
  #forget(): void {
    while (this.#kept.length > 1 && (this.#kept.length > this.#mostFrames || this.#chars > this.#mostChars))
      this.#chars -= this.#kept.shift()?.chars ?? 0;
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
