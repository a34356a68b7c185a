// Permission bits of files.

/** Every user who may read the file may also run it. */
export function runnable(mode: number): number {
  return mode | ((mode & 0o444) >> 2);
}
