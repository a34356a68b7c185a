// Whether an open session file is still the file at its path. A system happily writes to a file that was deleted, so
// without this check a session would confirm messages that are nowhere on disk.

import { fstatSync, fsyncSync, statSync } from "node:fs";
import { JournalError } from "./errors.ts";

/** The file as its writer knows it. */
export interface WrittenFile {
  readonly fd: number;
  readonly path: string;
  /** Taken when the file was opened. */
  readonly inode: number;
  /** Where the last write ended. */
  readonly size: number;
}

/** Returns what another program did to the file; undefined if it is as we left it. Costs one `stat`. */
export function changeByOthers({ fd, path, inode, size }: WrittenFile): JournalError | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.ino === inode && found.size === size) return undefined;
  if (found === undefined)
    return lost(
      fstatSync(fd).nlink > 0
        ? `The session file ${path} was moved or renamed while the session was open. Nothing more is recorded; open the session again at its new path.`
        : `The session file ${path} was deleted while the session was open. Nothing more is recorded; restore the file and open the session again, or start a new session.`,
    );
  if (found.ino !== inode)
    return lost(
      `The session file ${path} was replaced by another file while the session was open. Nothing more is recorded; open the session again to use the file that is there now.`,
    );
  // On some network disks, others see a write only after a sync.
  fsyncSync(fd);
  const length = statSync(path).size;
  if (length === size) return undefined;
  return lost(
    `The session file ${path} was changed by another program while the session was open: it has ${length} bytes instead of ${size}. Nothing more is recorded; restore the file and open the session again, or start a new session.`,
  );
}

const lost = (message: string): JournalError => new JournalError("io", message);
