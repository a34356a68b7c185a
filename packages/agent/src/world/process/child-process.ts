// Loads node:child_process with the first command: it pulls in half of the network stack, which startup need not wait
// for.

import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

export function childProcess(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}

/** Stops a pipe from keeping the host alive. Under Bun some pipes have no `unref`. */
export function unrefPipe(pipe: Readable | Writable): void {
  (pipe as Partial<Socket>).unref?.();
}

/** Sends a confined child its setup. */
export function provideSetup(child: ChildProcess, setup: Uint8Array): void {
  const pipe = child.stdio[3] as Writable;
  pipe.on("error", () => {}); // it ended before it read everything: its exit says why
  pipe.end(setup);
}
