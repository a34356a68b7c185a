// The stream of a door: numbered frames, the last of which are kept for readers that join, leave and return at any
// time. Deltas wait up to 30 ms for more of the same text, so that a long answer takes a few frames instead of
// thousands.

import type { ClientDeps } from "@lathe/llm";
import type { WireEvent } from "../../hosts/wire/events.ts";
import type { DoorFrame } from "./door.ts";
import { mergeDeltas, textOfDelta } from "./merge-deltas.ts";

const MERGE_MS = 30;

type WithoutSeq<T> = T extends unknown ? Omit<T, "seq"> : never;
/** A frame before it gets its number. */
export type FrameBody = WithoutSeq<DoorFrame>;

export interface FrameLogOptions {
  readonly setTimer: ClientDeps["setTimer"];
  /** The number of the first frame. */
  readonly first: number;
  /** Limits of what is kept: frames and their characters. */
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
  /** Waiting deltas by text, in the order of their first delta. */
  readonly #deltas = new Map<string, WireEvent>();
  #timer: { cancel(): void } | undefined;
  #isOver = false;
  readonly #waiting = new Set<() => void>();
  /** Called with each frame once it has a number. */
  onFrame: ((frame: DoorFrame) => void) | undefined;

  constructor({ setTimer, first, mostFrames = 4096, mostChars = 8 << 20 }: FrameLogOptions) {
    this.#setTimer = setTimer;
    this.#last = first - 1;
    this.#mostFrames = mostFrames;
    this.#mostChars = mostChars;
  }

  get last(): number {
    return this.#last;
  }
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether all frames after this number are still kept. */
  reaches(after: number): boolean {
    return after <= this.#last && after >= this.#last - this.#kept.length;
  }

  /** The frame with this number, which `reaches` must cover; undefined if it does not exist yet. */
  frame(seq: number): DoorFrame | undefined {
    return this.#kept[this.#kept.length - 1 - (this.#last - seq)]?.frame;
  }

  /** Adds an event; deltas may be merged with those before. */
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

  /** Numbers and appends the waiting deltas. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const deltas = [...this.#deltas.values()];
    this.#deltas.clear();
    for (const event of deltas) this.#append({ kind: "event", event });
  }

  /** Ends the stream: readers finish once they have read what is kept. */
  end(): void {
    this.flush();
    this.#isOver = true;
    this.#wake();
  }

  /** `settled` resolves when there are more frames or the stream ends; `cancel` resolves it at once. */
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

  /** The last frame is kept, however large it is. */
  #forget(): void {
    while (this.#kept.length > 1 && (this.#kept.length > this.#mostFrames || this.#chars > this.#mostChars))
      this.#chars -= this.#kept.shift()?.chars ?? 0;
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
