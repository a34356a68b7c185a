// Tracks which extension's code is running, including its timers, promises and streams. The parts that contain
// extensions use this to name the culprit.

import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { ExtensionChildren } from "./children.ts";

/** The extension that is named when something goes wrong. */
export interface Culprit {
  /** Counts up from 1. The watchdog thread can share only numbers. */
  readonly id: number;
  readonly name: string;
  /** Absolute path of the file. */
  readonly file: string;
  /** The processes that it has started. */
  readonly children: ExtensionChildren;
}

const running = new AsyncLocalStorage<Culprit | undefined>();
const known = new Map<number, Culprit>();
let entered: ((culprit: Culprit | undefined) => void) | undefined;

/** Registers a file as a culprit with a number that is unique in this process. */
export function newCulprit(name: string, file: string): Culprit {
  const culprit = { id: known.size + 1, name, file, children: new ExtensionChildren() };
  known.set(culprit.id, culprit);
  return culprit;
}

export const runningExtension = (): Culprit | undefined => running.getStore();

/** Runs an extension's code; whatever that starts counts as the extension's too. */
export function runAsExtension<T>(culprit: Culprit, work: () => T): T {
  const before = running.getStore();
  return running.run(culprit, () => {
    entered?.(culprit);
    try {
      return work();
    } finally {
      entered?.(before);
    }
  });
}

/** Runs our own code on behalf of an extension; nothing in it counts as the extension's. */
export function runAsLathe<T>(work: () => T): T {
  const before = running.getStore();
  if (before === undefined) return work();
  return running.run(undefined, () => {
    entered?.(undefined);
    try {
      return work();
    } finally {
      entered?.(before);
    }
  });
}

/** The extension that caused an error: the one that is running, or else the one whose file the stack names. */
export function culpritOf(error: unknown): Culprit | undefined {
  const now = running.getStore();
  if (now) return now;
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return [...known.values()].findLast(({ file }) => stack.includes(file));
}

/** Reports each time an extension's code starts or stops running, including callbacks. Undefined: our own code runs. */
export function watchSteps(listener: (culprit: Culprit | undefined) => void): () => void {
  entered = listener;
  let isInside = false;
  const hook = createHook({
    before: () => {
      const culprit = running.getStore();
      if (!culprit) return;
      isInside = true;
      listener(culprit);
    },
    after: () => {
      if (!isInside) return;
      isInside = false;
      listener(undefined);
    },
  }).enable();
  return () => {
    hook.disable();
    entered = undefined;
  };
}
