const CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && CODES.has((error as NodeJS.ErrnoException).code);
