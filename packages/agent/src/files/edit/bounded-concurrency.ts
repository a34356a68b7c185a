// Bounded concurrency for file work: enough to hide latency (200 files, a remote disk), few enough not to overload it.

const AT_ONCE = 8;

/**
 * Runs `work` for every item. After a failure it starts no new item, and throws the first failure once all have ended.
 */
export async function forEachBounded<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const failures: unknown[] = [];
  const worker = async () => {
    for (const item of queue) {
      if (failures.length > 0) return;
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
