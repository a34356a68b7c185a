// Handles a terminal that disappears while we run, because its window was closed or its connection broke. The kernel
// sends SIGHUP, which ends the run cleanly; until then reads and writes fail, and that is no error of ours.

import { closeSync, fstatSync, statSync } from "node:fs";

export const isLostTerminal = (stream: { readonly isTTY?: boolean }, error: NodeJS.ErrnoException): boolean =>
  stream.isTTY === true && error.code === "EIO";

/** Node aborts at exit if it cannot restore the modes of a terminal; it does not try for a closed descriptor. */
export function leaveLostTerminalsAtExit(): void {
  const terminals = [0, 1, 2].filter(mayBeTerminal);
  if (terminals.length === 0) return;
  process.on("exit", () => {
    // Loading this earlier would slow down every start.
    const { isatty } = process.getBuiltinModule("node:tty");
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  });
}

/**
 * Whether the descriptor is a device other than /dev/null. Most scripts use /dev/null as stdin, and asking further
 * means loading `node:tty`.
 */
function mayBeTerminal(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isCharacterDevice() && stat.rdev !== statSync("/dev/null").rdev;
  } catch {
    return false; // it is closed
  }
}
