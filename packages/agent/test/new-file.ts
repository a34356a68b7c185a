import { readdirSync, watch } from "node:fs";

/** Settles when a file beside the target appears: the write is under way. */
export function newFileIn(directory: string): Promise<void> {
  const known = new Set(readdirSync(directory));
  return new Promise((resolve) => {
    const watcher = watch(directory, (_, name) => {
      if (name === null || known.has(name)) return;
      watcher.close();
      resolve();
    });
  });
}
