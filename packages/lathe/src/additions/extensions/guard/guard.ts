// Everything that contains extensions in this process: it exists while there is an extension, and all conversations of
// the process share it.

import { type Culprit, runAsLathe } from "./current.ts";
import { describeCounts, OpenedHandles } from "./handles.ts";
import { markChildren } from "./mark-children.ts";
import { watchBoundary } from "./process-boundary.ts";
import { Watchdog } from "./watchdog.ts";

/** Gets an extension's failures and output. */
export interface Witness {
  /** `what` completes a sentence that begins with the extension's name. */
  noteFailure(what: string): void;
  /** Gets text that the extension wrote to stdout or stderr. */
  wrote(text: string): void;
}

const BLOCKED_MS = 5_000;

let shared: Guard | undefined;

export class Guard {
  readonly #witnesses = new Map<Culprit, Witness>();
  readonly #handles = new OpenedHandles();
  readonly #watchdog: Watchdog;
  readonly #removeBoundary: () => void;

  /** `offFile`: the file that records which extensions are off. */
  static get(offFile: string): Guard {
    shared ??= new Guard(offFile);
    return shared;
  }

  private constructor(offFile: string) {
    const hasTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
    this.#watchdog = new Watchdog({ blockedMs: BLOCKED_MS, offFile, hasTerminal });
    this.#removeBoundary = watchBoundary({
      noteFailure: (culprit, what) => this.#witnesses.get(culprit)?.noteFailure(what),
      wrote: (culprit, text) => this.#witnesses.get(culprit)?.wrote(text),
    });
    this.#handles.watch();
    markChildren();
  }

  add(culprit: Culprit, witness: Witness): void {
    this.#witnesses.set(culprit, witness);
    this.#watchdog.tell(culprit);
  }

  /** Tells the watchdog which session to resume if it has to end the process. */
  setSession(id: string): void {
    this.#watchdog.session(id.slice(0, 8));
  }

  /** Ends what an extension left open; the last removal turns the guard off. */
  async remove(culprit: Culprit): Promise<void> {
    const left = runAsLathe(() => this.#handles.end(culprit));
    const processes = await runAsLathe(() => culprit.children.end());
    if (processes > 0) left.set("process", processes);
    if (left.size > 0) this.#witnesses.get(culprit)?.noteFailure(`left open: ${describeCounts(left)}. They were ended`);
    this.#witnesses.delete(culprit);
    if (this.#witnesses.size > 0) return;
    shared = undefined;
    this.#handles.unwatch();
    this.#removeBoundary();
    await this.#watchdog.stop();
  }
}
