// What an extension does to the process as a whole: ending it, writing to its output, errors that nobody catches. Its calls are
// caught here and belong to it; ours go through untouched.

import { messageOf } from "@lathe/llm";
import { type Culprit, culpritOf, outside, runningExtension } from "./current.ts";

export interface CaughtCalls {
  /** It tried to do something to the process that is not allowed, or failed where nobody catches it. */
  failed(culprit: Culprit, what: string): void;
  /** It wrote text to stdout or stderr. */
  wrote(culprit: Culprit, text: string): void;
}

class NotAllowed extends Error {
  constructor(call: string) {
    super(`an extension cannot call ${call}; to end Lathe, call context.shutdown()`);
    this.name = "NotAllowed";
  }
}

/** The object that everybody's imports read; a namespace could not be changed. */
const fs = (): object => process.getBuiltinModule("node:fs");

type Fn = (...args: never[]) => unknown;
type Holder = Record<string, unknown>;

/** From now on; the returned function puts everything back. */
export function catchProcessCalls(caught: CaughtCalls): () => void {
  const undo: (() => void)[] = [];
  const replace = (holder: object, key: string, made: (original: Fn) => Fn): void => {
    const target = holder as Holder;
    const own = Object.getOwnPropertyDescriptor(holder, key);
    const original = target[key] as Fn;
    target[key] = made(original);
    undo.push(() => {
      if (own) Object.defineProperty(holder, key, own);
      else delete target[key];
    });
  };
  const refuse = (name: string, isMeant: (args: unknown[]) => boolean = () => true): void =>
    replace(
      process,
      name,
      (original) =>
        function (this: unknown, ...args: never[]) {
          const culprit = runningExtension();
          if (!culprit || !isMeant(args)) return original.apply(process, args);
          outside(() => caught.failed(culprit, `called process.${name}, which is not allowed`));
          throw new NotAllowed(`process.${name}`);
        } as Fn,
    );
  for (const name of ["exit", "reallyExit", "abort", "chdir"]) refuse(name);
  refuse("kill", ([pid]) => Number(pid) === process.pid || Number(pid) === 0 || Number(pid) === -process.pid);

  const divert = (text: unknown): boolean => {
    const culprit = runningExtension();
    if (!culprit) return false;
    const said = typeof text === "string" ? text : Buffer.from(text as Uint8Array).toString();
    outside(() => caught.wrote(culprit, said));
    return true;
  };
  for (const stream of [process.stdout, process.stderr])
    replace(
      stream,
      "write",
      (original) =>
        function (this: unknown, ...args: never[]) {
          if (!divert(args[0])) return original.apply(this, args);
          const done = args.find((arg) => typeof arg === "function") as (() => void) | undefined;
          if (done) process.nextTick(done);
          return true;
        } as Fn,
    );
  const isOutput = (fd: unknown): boolean => fd === 1 || fd === 2;
  replace(
    fs(),
    "writeSync",
    (original) =>
      ((...args: [unknown, string | Uint8Array]) =>
        isOutput(args[0]) && divert(args[1]) ? args[1].length : original.apply(undefined, args as never)) as Fn,
  );
  replace(
    fs(),
    "write",
    (original) =>
      ((...args: [unknown, string | Uint8Array, ...unknown[]]) => {
        if (!isOutput(args[0]) || !divert(args[1])) return original.apply(undefined, args as never);
        const done = args.at(-1) as (error: null, written: number, data: unknown) => void;
        process.nextTick(() => done(null, args[1].length, args[1]));
      }) as Fn,
  );

  // By the time that an error of a microtask is reported nobody knows any more whose it is.
  replace(
    globalThis,
    "queueMicrotask",
    (original) =>
      ((...args: [unknown]) => {
        const culprit = runningExtension();
        const [work] = args;
        if (!culprit || typeof work !== "function") return original.apply(globalThis, args as never);
        return original.call(globalThis, contained(caught, culprit, () => work()) as never);
      }) as Fn,
  );

  undo.push(catchErrors(caught));
  return () => {
    for (const step of undo.reverse()) step();
  };
}

const contained = (caught: CaughtCalls, culprit: Culprit, work: () => unknown) => (): void => {
  try {
    work();
  } catch (error) {
    thrown(caught, culprit, error);
  }
};

function thrown({ failed }: CaughtCalls, culprit: Culprit, error: unknown): void {
  if (!(error instanceof NotAllowed))
    outside(() => failed(culprit, `threw where nobody catches it: ${messageOf(error)}`));
}

/** An error that nobody catches ends a process; one of an extension must not. */
function catchErrors(caught: CaughtCalls): () => void {
  const onRejection = (reason: unknown): void => {
    const culprit = culpritOf(reason);
    if (!culprit) throw reason; // ours: the next listener ends the process
    if (!(reason instanceof NotAllowed))
      outside(() => caught.failed(culprit, `left a promise rejected: ${messageOf(reason)}`));
  };
  const onError = (error: unknown): void => {
    const culprit = culpritOf(error);
    if (!culprit) {
      (process as NodeJS.EventEmitter).emit("uncaughtException", error, "uncaughtException");
      return;
    }
    thrown(caught, culprit, error);
  };
  process.on("unhandledRejection", onRejection);
  process.setUncaughtExceptionCaptureCallback(onError);
  return () => {
    process.off("unhandledRejection", onRejection);
    process.setUncaughtExceptionCaptureCallback(null);
  };
}
