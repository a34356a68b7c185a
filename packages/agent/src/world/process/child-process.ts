// node:child_process, loaded with the first command: it loads half of the network stack, which a start need not wait for.

import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

export function childProcess(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}

/** It no longer keeps the host alive. Under Bun some pipes have no such switch. */
export function unrefPipe(pipe: Readable | Writable): void {
  (pipe as Partial<Socket>).unref?.();
}
