// Permission bits of files.

/** Whoever may read it may also run it. */
export function runnable(mode: number): number {
  return mode | ((mode & 0o444) >> 2);
}
