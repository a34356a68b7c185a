// Waits for something that may never happen.

/** Undefined if it takes longer. */
export async function within<T>(wanted: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  return Promise.race([wanted, late]).finally(() => clearTimeout(timer));
}
