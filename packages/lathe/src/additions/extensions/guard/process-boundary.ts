// The boundary between extensions and the process: attributes output, uncaught errors and exits to the extension that
// caused them. What we do ourselves passes untouched.

import { messageOf } from "@lathe/llm";
import { EXIT } from "../../../platform/usage/exit.ts";
import { type Culprit, culpritOf, runAsLathe, runningExtension } from "./current.ts";

export interface BoundaryListener {
  /** An extension failed and nothing caught the error. */
  noteFailure(culprit: Culprit, what: string): void;
  /** An extension wrote text to stdout or stderr. */
  wrote(culprit: Culprit, text: string): void;
}

/** Sets up the boundary. The returned function removes it. */
export function watchBoundary(listener: BoundaryListener): () => void {
  const undo = [
    redirect(process.stdout, listener),
    redirect(process.stderr, listener),
    catchErrors(listener),
    nameWhoExits(),
  ];
  return () => {
    for (const step of undo) step();
  };
}

/** The stdout of JSON and RPC mode is read by a program, so the text of an extension must not reach it. */
function redirect(stream: NodeJS.WriteStream, { wrote }: BoundaryListener): () => void {
  const write = stream.write;
  stream.write = function (this: NodeJS.WriteStream, ...args: Parameters<typeof write>): boolean {
    const culprit = runningExtension();
    if (!culprit) return write.apply(stream, args);
    const [text]: readonly unknown[] = args;
    runAsLathe(() => wrote(culprit, typeof text === "string" ? text : Buffer.from(text as Uint8Array).toString()));
    const done = (args as readonly unknown[]).find((arg) => typeof arg === "function");
    if (done) process.nextTick(done as () => void);
    return true;
  } as typeof write;
  return () => {
    stream.write = write;
  };
}

/** An uncaught error ends the process, but an extension's error must not. */
function catchErrors({ noteFailure: failed }: BoundaryListener): () => void {
  const onRejection = (reason: unknown): void => {
    const culprit = culpritOf(reason);
    if (!culprit) throw reason; // The error is ours: the next listener ends the process.
    runAsLathe(() => failed(culprit, `left a promise rejected: ${messageOf(reason)}`));
  };
  const onError = (error: unknown): void => {
    const culprit = culpritOf(error);
    if (!culprit) (process as NodeJS.EventEmitter).emit("uncaughtException", error, "uncaughtException");
    else runAsLathe(() => failed(culprit, `threw an error that nothing catches: ${messageOf(error)}`));
  };
  process.on("unhandledRejection", onRejection);
  process.setUncaughtExceptionCaptureCallback(onError);
  return () => {
    process.off("unhandledRejection", onRejection);
    process.setUncaughtExceptionCaptureCallback(null);
  };
}

/**
 * An extension may end the process. We tell the user which one did, and the exit code says that the work was not done.
 */
function nameWhoExits(): () => void {
  const onExit = (): void => {
    const culprit = runningExtension();
    if (!culprit) return;
    process.exitCode = EXIT.failed;
    runAsLathe(() => process.stderr.write(`lathe: The extension ${culprit.name} (${culprit.file}) ended Lathe.\n`));
  };
  process.on("exit", onExit);
  return () => void process.off("exit", onExit);
}
