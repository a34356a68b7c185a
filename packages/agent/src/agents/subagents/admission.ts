// Decides when a child may begin: when one of the limited slots is free, and the machine has memory for one more child.
// Children waiting for memory begin in the order in which they came. The first one at work never waits, because no
// other agent would make room for it.

import type { Child, Run } from "./child.ts";
import type { ParentSession } from "./parent.ts";
import { Slots } from "./slots.ts";

const LOOK_MS = 250;
const LONGEST_WAIT_MINUTES = 10;

interface Waiting {
  readonly child: Child;
  readonly begin: () => void;
}

export class Admission {
  readonly #parent: ParentSession;
  readonly #slots: Slots;
  readonly #waiting: Waiting[] = [];
  #timer: { cancel(): void } | undefined;

  constructor(parent: ParentSession) {
    this.#parent = parent;
    this.#slots = new Slots(() => parent.options.limits?.().concurrency ?? 0);
  }

  /** Returns undefined if the child may begin at once. Every child that enters must leave. */
  enter(child: Child, run: Run): Promise<void> | undefined {
    const slot = this.#slots.take(run.controller.signal);
    if (!slot) return this.#memory(child, run);
    run.waitsFor = "turn";
    return slot.then(() => this.#memory(child, run));
  }

  leave(): void {
    this.#slots.free();
    this.#look();
  }

  #memory(child: Child, run: Run): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#hasRoom(child)) {
      run.waitsFor = undefined;
      return undefined;
    }
    run.waitsFor = "memory";
    this.#parent.directory.waits(child);
    const { signal } = run.controller;
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        limit.cancel();
        signal.removeEventListener("abort", onAbort);
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        run.waitsFor = undefined;
      };
      const giveUp = (why: unknown): void => {
        stopWaiting();
        this.leave();
        reject(why);
      };
      const onAbort = (): void => giveUp(signal.reason);
      const waiting: Waiting = {
        child,
        begin: () => {
          stopWaiting();
          this.#parent.directory.waits(child);
          resolve();
        },
      };
      const limit = this.#parent.deps.setTimer(() => giveUp(new Error(tooLong)), LONGEST_WAIT_MINUTES * 60_000);
      this.#waiting.push(waiting);
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      else this.#lookLater();
    });
  }

  /** A replay could not have the same memory at the same moments. */
  #hasRoom({ facts }: Child): boolean {
    const { env, options, directory } = this.#parent;
    if (options.isTaped) return true;
    const { atWork, starting } = directory.others(facts.header.agentId);
    return atWork === 0 || (env.hasRoom?.(starting) ?? true);
  }

  #look(): void {
    for (let next = this.#waiting[0]; next && this.#hasRoom(next.child); next = this.#waiting[0]) next.begin();
    this.#lookLater();
  }

  #lookLater(): void {
    this.#timer?.cancel();
    this.#timer = this.#waiting.length === 0 ? undefined : this.#parent.deps.setTimer(() => this.#look(), LOOK_MS);
  }
}

const tooLong =
  `it did not begin: there was too little free memory for ${LONGEST_WAIT_MINUTES} minutes. ` +
  "Wait for other agents or stop some, then send it a message";
