// node:child_process, loaded with the first command: it loads half of the network stack, which a start need not wait for.

import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

export function childProcess(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}

/** It no longer keeps the host alive. Under Bun some pipes have no such switch. */
export function unrefPipe(pipe: Readable | Writable): void {
  (pipe as Partial<Socket>).unref?.();
}

/** Gives a confined child what it is set up with. */
export function provideSetup(child: ChildProcess, setup: Uint8Array): void {
  const pipe = child.stdio[3] as Writable;
  pipe.on("error", () => {}); // it ended before it read all: its exit says why
  pipe.end(setup);
}
