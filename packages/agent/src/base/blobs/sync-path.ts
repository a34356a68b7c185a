// Flushes a file or folder to disk. It does not use node:fs/promises, because loading that takes longer than everything
// else that the end of a short run waits for.

import { closeSync, fsync, openSync } from "node:fs";

export function syncFile(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fsync(fd, (error) => (error ? reject(error) : resolve())));
}

export async function syncPath(path: string): Promise<void> {
  const fd = openSync(path, "r");
  try {
    await syncFile(fd);
  } finally {
    closeSync(fd);
  }
}
