// A credential that is fetched once and again shortly before it expires.

const renewBeforeMs = 60_000;

/** Concurrent callers share one fetch; a failed one is not kept. */
export function renewBeforeExpiry<T extends { readonly expiresAt?: number }>(
  load: () => Promise<T>,
  now: () => number,
): () => Promise<T> {
  let current: Promise<T> | undefined;
  let renewAt = Number.POSITIVE_INFINITY;
  return () => {
    if (current !== undefined && now() < renewAt) return current;
    const loading = load();
    current = loading;
    renewAt = Number.POSITIVE_INFINITY;
    loading.then(
      ({ expiresAt }) => {
        if (current === loading && expiresAt !== undefined) renewAt = expiresAt - renewBeforeMs;
      },
      () => {
        if (current === loading) current = undefined;
      },
    );
    return loading;
  };
}
