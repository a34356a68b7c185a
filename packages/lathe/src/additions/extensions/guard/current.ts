// Which extension's code runs now, also behind timers, promises and streams that it started. Everything that contains an extension
// asks here whom to name.

import { AsyncLocalStorage, createHook } from "node:async_hooks";

/** What is named when something goes wrong. */
export interface Culprit {
  /** Counts up from 1: for the watchdog, which shares nothing but numbers. */
  readonly id: number;
  readonly name: string;
  /** Absolute path of the file. */
  readonly file: string;
}

const running = new AsyncLocalStorage<Culprit | undefined>();
const known = new Map<number, Culprit>();
let entered: ((culprit: Culprit | undefined) => void) | undefined;

/** A culprit for a file; the number is its own for the whole process. */
export function newCulprit(name: string, file: string): Culprit {
  const culprit = { id: known.size + 1, name, file };
  known.set(culprit.id, culprit);
  return culprit;
}

export const runningExtension = (): Culprit | undefined => running.getStore();

/** Runs code of an extension; what that starts for later is the extension's as well. */
export function inside<T>(culprit: Culprit, work: () => T): T {
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

/** Runs our own code that an extension has called: nothing that it does is the extension's. */
export function outside<T>(work: () => T): T {
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

/** Whose error it is: by where it happened, else by the files that its stack names. */
export function culpritOf(error: unknown): Culprit | undefined {
  const now = running.getStore();
  if (now) return now;
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return [...known.values()].findLast(({ file }) => stack.includes(file));
}

/** Reports every step into and out of an extension's code, also of a callback. Undefined: our own code runs. */
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
