// A terminal that goes away while we run: its window was closed, its connection broke. The kernel tells us with SIGHUP, which ends the
// run in order; until then its reads and writes fail, and that is no error of ours.

import { closeSync, fstatSync, statSync } from "node:fs";

export const isLostTerminal = (stream: { readonly isTTY?: boolean }, error: NodeJS.ErrnoException): boolean =>
  stream.isTTY === true && error.code === "EIO";

/** Node aborts at its exit when it cannot restore the modes of a terminal; for a file that is closed it does not try. */
export function leaveLostTerminalsAtExit(): void {
  const terminals = [0, 1, 2].filter(mayBeTerminal);
  if (terminals.length === 0) return;
  process.on("exit", () => {
    // Not before: it would take time at every start.
    const { isatty } = process.getBuiltinModule("node:tty");
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  });
}

/** A device, and not the one that takes in everything: most runs of scripts have that one as stdin, and `node:tty` is loaded to ask. */
function mayBeTerminal(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isCharacterDevice() && stat.rdev !== statSync("/dev/null").rdev;
  } catch {
    return false; // it is closed
  }
}
